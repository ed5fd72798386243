// proof: docs
/** The commands of docs/moving.md that move the sites of Nginx Proxy Manager, as they stand there. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type OwnNetwork, startOwnNetwork } from '../harness/own-network.ts';
import { readPage, shellIn } from '../harness/page.ts';
import { type Program, runProgram } from '../harness/program.ts';
import { temporaryFolder, until } from '../harness/stack.ts';

const probe = await startOwnNetwork();
await probe?.stop();
const HUB = 'http://127.0.0.1:3000/api';
const { blocksUnder } = await readPage('docs/moving.md');
const [setup = '', look = '', imports = '', tries = '', moves = '', back = ''] = blocksUnder(
  'From Nginx Proxy Manager',
);

describe.skipIf(probe === null)('moving from Nginx Proxy Manager', () => {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder, name);
  let network: OwnNetwork;
  let program: Program;
  let shell: (commands: string) => ReturnType<ReturnType<typeof shellIn>>;

  /** What is in NPM's folder, to the byte and with its times. */
  const traces = () =>
    readdirSync(at('npm'), { recursive: true }).map((name) => {
      const found = statSync(at(`npm/${name}`), { bigint: true });
      const bytes = found.isFile() ? Bun.hash(readFileSync(at(`npm/${name}`))) : null;
      return { name, bytes, mtimeNs: found.mtimeNs };
    });

  /** NPM's database, with a few of its hosts, whose service is on this machine. */
  function makeNpm() {
    mkdirSync(at('npm/data/nginx/custom'), { recursive: true });
    writeFileSync(at('npm/data/nginx/custom/server_proxy.conf'), '');
    const file = at('npm/data/database.sqlite');
    cpSync(join(import.meta.dir, '../golden/npm/database.sqlite'), file);
    const database = new Database(file);
    for (const table of ['redirection_host', 'dead_host', 'stream'])
      database.run(`DELETE FROM ${table}`);
    // Plain, with a certificate, with an access list, and one that nginx refuses.
    database.run('DELETE FROM proxy_host WHERE id NOT IN (1, 22, 29, 59, 47)');
    database.run("UPDATE proxy_host SET forward_host = '127.0.0.1', forward_port = 9000");
    database.run("DELETE FROM setting WHERE id = 'default-site'");
    database.close();
  }

  /** `docker compose` on a machine where NPM is the only container: a stand-in for both. */
  const docker = () => `#!/bin/sh
[ "$1 $2 $3" = "compose --project-directory ${at('npm')}" ] || exit 1
case $4 in
  stop) kill "$(cat ${at('npm.pid')})" ;;
  start)
    HOME=${at('home')} setsid caddy run --config ${at('npm.Caddyfile')} --adapter caddyfile > /dev/null 2>&1 &
    echo $! > ${at('npm.pid')} ;;
esac
`;
  const caddyfile = `{
	admin off
	local_certs
	skip_install_trust
	auto_https disable_redirects
}
http://secure.example, http://le.example.org, http://www.le.example.org {
	redir https://{host}{uri} 301
}
http://users.example.com {
	respond 401
}
http:// {
	respond NPM
}
secure.example, le.example.org, www.le.example.org {
	respond NPM
}
`;
  const visited = (url: string, ports = ':80:127.0.0.1:80') =>
    network.run(`curl -sk -m 5 --connect-to ${ports} ${url} || :`);

  /** Caddy makes its certificates in its own time. @param port of a Caddy */
  async function untilCertified(port = '443'): Promise<void> {
    for (const name of ['secure.example', 'le.example.org']) {
      const ask = () => visited(`https://${name}`, `:443:127.0.0.1:${port}`);
      await until(ask, `a certificate for ${name}`);
    }
  }

  beforeAll(async () => {
    network = (await startOwnNetwork()) as OwnNetwork;
    const inNetwork = shellIn(folder, network.prefix);
    const start = setup.replace('/var/lib/signalbox', at('data')).replace('/opt/npm', at('npm'));
    shell = (commands) => inNetwork(start + commands);
    mkdirSync(at('home'));
    makeNpm();
    writeFileSync(at('npm.Caddyfile'), caddyfile);
    writeFileSync(at('bin/docker'), docker(), { mode: 0o755 });
    await shell('docker compose --project-directory "$NPM" start');
    await shell(
      'caddy respond --listen 127.0.0.1:9000 --body service > /dev/null 2>&1 & echo $! > service.pid',
    );
    await until(() => visited('http://app.example.com'), 'NPM');
    await until(() => visited('http://app.example.com', ':80:127.0.0.1:9000'), 'the service');
    await untilCertified();
    program = runProgram([], {}, folder, { prefix: network.prefix });
    await program.address('agent');
  });
  afterAll(async () => {
    program.child.kill('SIGTERM');
    await program.exited();
    await shell('kill $(cat npm.pid service.pid) || :');
    await network.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('looks first, imports, moves, and goes back', async () => {
    const before = traces();
    const looked = await shell(look);
    expect([looked.code, looked.out]).toEqual([0, '']);
    expect(looked.err).toContain('Off until you decide:\n');
    expect(looked.err).toContain('5 sites would be imported, 1 off until you decide\n');
    expect(looked.err).toContain('nginx/custom/server_proxy.conf');
    expect(readFileSync(at('Caddyfile.npm'), 'utf8')).toContain('http://app.example.com {');
    expect((await shell('signalbox site list')).out).toBe('');

    const imported = await shell(imports);
    expect(imported).toMatchObject({ code: 0, out: expect.stringContaining('\tsecure.example\n') });
    expect(imported.err).toContain('5 sites imported, 1 off until you decide\n');
    expect(imported.err).toEndWith(
      "Next: try each site on Caddy's ports, 8080 for HTTP and 8443 for HTTPS. Then stop NPM, and run: signalbox ports --standard\n",
    );
    const listed = (await shell('signalbox site list')).out;
    expect(listed.split('\n').filter((line) => line.endsWith('\toff'))).toHaveLength(1);

    await untilCertified('8443');
    const tried = await shell(tries);
    expect([tried.code, tried.err]).toEqual([0, '']);
    expect(tried.out.trim().split('\n').toSorted()).toEqual(
      [
        '200 200 http://app.example.com/',
        '200 200 https://le.example.org/',
        '200 200 https://secure.example/',
        '401 401 http://users.example.com/',
      ].toSorted(),
    );

    const moved = await shell(moves);
    expect(moved).toMatchObject({
      code: 0,
      out: "Caddy's ports are 80 for HTTP and 443 for HTTPS.\n",
    });
    expect(await visited('http://app.example.com')).toBe('service');

    // As on the page Preamble.
    const account = '{"name":"Ada","email":"ada@example.org","password":"a long passphrase"}';
    const signedUp = await network.run(`curl -sf ${HUB}/auth/sign-up/email -d '${account}'`);
    const edit = `curl -sf ${HUB}/preamble -H 'Authorization: Bearer ${JSON.parse(signedUp).token}'`;
    const { config } = JSON.parse(await network.run(edit));
    expect(config).toContain('\tlocal_certs\n');
    writeFileSync(at('body'), JSON.stringify({ config: config.replace('\tlocal_certs\n', '') }));
    await network.run(`${edit} -X PUT --data-binary @${at('body')}`);
    type Group = { group: number; summary: string };
    const changes = async (what: RegExp) =>
      (JSON.parse((await shell('signalbox api GET /changelog -q grouped=true')).out) as Group[])
        .filter(({ summary }) => what.test(summary))
        .map(({ group }) => String(group));
    const [edited = '', ports = ''] = await changes(/Changed the preamble/);
    expect((await shell(`signalbox undo ${edited}`)).code).toBe(0);
    expect((await shell(back.replace('NUMBER', ports))).code).toBe(0);
    await until(
      async () => (await visited('http://app.example.com')) === 'NPM',
      'NPM on its ports again',
    );
    expect(await visited('http://app.example.com', ':80:127.0.0.1:8080')).toBe('service');
    const [created = ''] = await changes(/Created/);
    expect((await shell(`signalbox undo ${created}`)).code).toBe(0);
    expect((await shell('signalbox site list')).out).toBe('');
    expect(traces()).toEqual(before);
  });
});
