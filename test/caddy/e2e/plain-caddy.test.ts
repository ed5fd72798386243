// proof: docs
/** The way from signalbox to a plain Caddy, by the commands of docs/moving.md. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { selfSigned } from '../../harness/certificate.ts';
import { type OwnNetwork, startOwnNetwork } from '../../harness/own-network.ts';
import { readPage, shellIn } from '../../harness/page.ts';
import { type Program, runProgram } from '../../harness/program.ts';
import { limit } from '../../harness/speed.ts';
import { temporaryFolder, until } from '../../harness/stack.ts';

const probe = await startOwnNetwork();
await probe?.stop();
const HUB = 'http://127.0.0.1:3000/api';
const { blocksUnder } = await readPage('docs/moving.md');
const [exporting = '', running = ''] = blocksUnder('From signalbox to a plain Caddy');

/** Seconds for a visit: of a password, Caddy makes a hash. */
const MOST = limit(5_000) / 1_000;

/** Sites, and what visitors send. */
const VISITS = {
  upstream: 'http://plain.example/a?b=c',
  'the first of two addresses': 'http://two.example/',
  'the second': 'http://second.example/',
  'a password, without it': 'http://secret.example/',
  'a password, with it': '-u "ada:a long passphrase" http://secret.example/',
  'a network that is let in': 'http://local.example/',
  'one that is shut out': 'http://away.example/',
  'a redirect': 'http://old.example/path?a=b',
  https: 'https://secure.example/',
  'http, of a site with https': 'http://secure.example/path',
  'a site that is off': 'http://off.example/',
  'no site': 'http://nobody.example/',
};

describe.skipIf(probe === null)('the published Caddyfile', () => {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder, name);
  let network: OwnNetwork;
  let shell: ReturnType<typeof shellIn>;
  let program: Program;
  let auth: string;
  const others: Bun.Subprocess[] = [];
  const start = (command: string[], log: string) => {
    const child = Bun.spawn([...network.prefix, ...command], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: at('home') },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: Bun.file(at(log)),
    });
    others.push(child);
    return child;
  };

  /** What each visitor gets: the status, where it is sent, what asks who it is, and the body. */
  const answers = async () => {
    const visit = (words: string) =>
      shell(
        `curl -sk -m ${MOST} -w '\\n%{http_code} %{redirect_url} %header{www-authenticate}' --connect-to ::127.0.0.1: ${words}`,
      );
    const all = Object.entries(VISITS).map(async ([what, words]) => {
      const { code, out } = await visit(words);
      return [what, { code, out }] as const;
    });
    return Object.fromEntries(await Promise.all(all));
  };

  beforeAll(async () => {
    network = (await startOwnNetwork()) as OwnNetwork;
    shell = shellIn(folder, network.prefix);
    mkdirSync(at('home'));
    // It says what it was asked for.
    writeFileSync(
      at('upstream.Caddyfile'),
      '{\n\tadmin off\n\tauto_https off\n}\nhttp://:9000 {\n\trespond "{host} {uri} {header.X-Forwarded-Proto}"\n}\n',
    );
    start(['caddy', 'run', '--config', 'upstream.Caddyfile', '--adapter', 'caddyfile'], 'upstream');
    program = runProgram([], {}, folder, { prefix: network.prefix });
    await program.address('agent');
    const account = '{"name":"Ada","email":"ada@example.org","password":"a long passphrase"}';
    const { token } = JSON.parse(
      await network.run(`curl -sf ${HUB}/auth/sign-up/email -d '${account}'`),
    ) as { token: string };
    auth = `Authorization: Bearer ${token}`;
    const post = async (path: string, body: object) => {
      writeFileSync(at('body'), JSON.stringify(body));
      const out = await network.run(
        `curl -s --fail-with-body ${HUB}${path} -H '${auth}' --data-binary @${at('body')}`,
      );
      return JSON.parse(out) as { id: number };
    };
    const policies = {
      password: {
        recipe: 'basic-auth',
        values: { users: [{ name: 'ada', password: 'a long passphrase' }] },
      },
      home: { recipe: 'allow', values: { networks: ['private_ranges'] } },
      away: { recipe: 'block', values: { networks: ['127.0.0.0/8'] } },
    };
    for (const [name, policy] of Object.entries(policies))
      await post('/policies', { name, ...policy });
    const upstream = '127.0.0.1:9000';
    const config = 'reverse_proxy {upstream}';
    for (const site of [
      { domain: 'http://plain.example', upstream, config },
      {
        domain: 'http://two.example',
        upstream,
        config: `http://two.example, http://second.example {\n\t${config}\n}`,
      },
      { domain: 'http://secret.example', upstream, config, policies: ['password'] },
      { domain: 'http://local.example', upstream, config, policies: ['home'] },
      { domain: 'http://away.example', upstream, config, policies: ['away'] },
      { domain: 'http://old.example', config: 'redir https://new.example{uri} 308' },
      { domain: 'secure.example', upstream, config: `tls internal\n${config}` },
      { domain: 'kept.example', upstream, config },
    ]) {
      await post('/vhosts', site);
    }
    const off = await post('/vhosts', { domain: 'http://off.example', upstream, config });
    await network.run(`curl -sf -X PATCH -H '${auth}' ${HUB}/vhosts/${off.id}/toggle`);
    const { certificate, key } = await selfSigned(['kept.example']);
    writeFileSync(at('kept.pem'), certificate);
    writeFileSync(at('kept.key'), key);
    const kept = await shell('signalbox certificate put home --chain kept.pem --key kept.key');
    expect([kept.code, kept.err]).toEqual([0, '']);
  });
  afterAll(async () => {
    for (const child of [program.child, ...others]) {
      child.kill('SIGTERM');
      await child.exited;
    }
    await network.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('serves the same without signalbox', async () => {
    const trusting = (root: string, url: string) => async () =>
      (await shell(`curl -s -m ${MOST} --connect-to ::127.0.0.1: --cacert ${root} ${url} || :`))
        .out;
    const kept = trusting('kept.pem', 'https://kept.example/');
    const storage = 'data/caddy/data/caddy';
    const own = trusting(`${storage}/pki/authorities/local/root.crt`, VISITS.https);
    await until(own, 'the certificate of Caddy’s own authority');
    await until(kept, 'the kept certificate');
    const before = await answers();
    expect(before).toMatchObject({
      upstream: { out: 'plain.example /a?b=c http\n200  ' },
      'the second': { out: 'second.example / http\n200  ' },
      'a password, without it': { out: expect.stringMatching(/^\n401 {2}Basic /) },
      'a password, with it': { out: 'secret.example / http\n200  ' },
      'one that is shut out': { out: '\n403  ' },
      'a redirect': { out: '\n308 https://new.example/path?a=b ' },
      https: { out: 'secure.example / https\n200  ' },
    });
    const exported = await shell(exporting, { HUB, AUTH: auth });
    expect([exported.code, exported.out]).toEqual([0, 'Valid configuration\n']);
    const file = readFileSync(at('Caddyfile'), 'utf8');
    expect(file).not.toContain('{upstream}');
    expect(file).toMatch(/^# .*home.*kept\.example/m);

    program.child.kill('SIGTERM');
    await program.exited();
    // As the page says of certificates.
    await shell(`mkdir -p home/.local/share && cp -r ${storage} home/.local/share/`);
    writeFileSync(
      at('Caddyfile'),
      file.replace('\nkept.example {\n', `$&\ttls ${at('kept.pem')} ${at('kept.key')}\n`),
    );
    start(['sh', '-ec', `exec ${running}`], 'plain');
    await until(own, 'the plain Caddy');
    expect(await answers()).toEqual(before);
    expect(await kept()).toBe('kept.example / https');
  });
});
