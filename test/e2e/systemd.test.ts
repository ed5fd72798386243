/** `signalbox install` and its units under a live systemd. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { BUILD_TIMEOUT_MS, binaryIn, build, host } from '../harness/build.ts';
import { temporaryFolder } from '../harness/stack.ts';
import { type Machine, startMachine } from '../harness/systemd.ts';

const folder = temporaryFolder();
const machine = await startMachine(folder);
const signalbox = `/machine/${binaryIn('', host)}`;
const HUB = 'http://127.0.0.1:3000/api';
const JSON_TYPE = "-H 'Content-Type: application/json'";

beforeAll(async () => {
  if (machine) expect((await build(['--outdir', folder, '--target', host.name])).code).toBe(0);
}, BUILD_TIMEOUT_MS);
afterAll(async () => {
  await machine?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a script, which must succeed. @returns what it printed */
async function run(script: string): Promise<string> {
  const { code, text } = await (machine as Machine).run(`set -e\n${script}`);
  expect([code, text]).toEqual([0, expect.any(String)]);
  return text.trim();
}

/** Repeats a command until it succeeds. */
const retry = (command: string) =>
  `n=0; until ${command}; do n=$((n + 1)); [ $n -lt 100 ]; sleep 0.1; done`;

/** The users that processes with this command line run as. */
const usersOf = async (pattern: string) =>
  (await run(`ps axo user:20,args | grep '${pattern}' | cut -d' ' -f1 | sort -u`)).split('\n');

test.skipIf(!machine)(
  'installs two services with users of their own, which come back and go away',
  async () => {
    await run(`${signalbox} install --yes`);
    expect(await usersOf('[s]ignalbox.* hub')).toEqual(['signalbox-hub']);
    expect(await usersOf('[s]ignalbox.* agent')).toEqual(['signalbox-agent']);
    expect(await usersOf('[c]addy run')).toEqual(['signalbox-agent']);

    const account = '{"name":"Ada","email":"ada@example.org","password":"a long passphrase"}';
    const signUp = await run(`curl -sS ${HUB}/auth/sign-up/email ${JSON_TYPE} -d '${account}'`);
    const { token } = JSON.parse(signUp) as { token: string };
    const bearer = `-H 'Authorization: Bearer ${token}'`;
    const site = '{"domain":"http://a.localhost","config":"respond hello"}';
    await run(retry(`curl -sSf ${HUB}/vhosts ${bearer} ${JSON_TYPE} -d '${site}'`));
    const served = retry("curl -s http://a.localhost/ | grep -qx 'hello'");
    await run(served);

    // Caddy's user may read nothing of the hub.
    const caddy =
      'nsenter -t $(pgrep -f "[c]addy run") -m setpriv --reuid=signalbox-agent --clear-groups';
    for (const path of [
      '/var/lib/signalbox/signalbox.db',
      '/run/credentials/signalbox-hub.service',
    ]) {
      const { code } = await (machine as Machine).run(`${caddy} head -c1 ${path}`);
      expect([path, code]).toEqual([path, 1]);
    }

    // Both are restarted after a kill, and an upgrade keeps everything.
    for (const unit of ['hub', 'agent']) {
      await run(`systemctl kill -s KILL --kill-whom=main signalbox-${unit}`);
      await run(retry(`[ $(systemctl is-active signalbox-${unit}) = active ]`));
      await run(served);
    }
    await run(`${signalbox} install --yes`);
    await run(served);
    const stored = await run(retry(`curl -sSf ${HUB}/vhosts ${bearer}`));
    expect(JSON.parse(stored)).toEqual([expect.objectContaining({ domain: 'http://a.localhost' })]);

    await run(`${signalbox} uninstall --purge --yes`);
    const left =
      'ls /var/lib /var/lib/private /etc/systemd/system /etc/signalbox; ps axo comm | sed s/^/runs-/';
    expect(await run(left)).not.toMatch(
      /^(signalbox|agent-token|hub|agent|runs-caddy|runs-signalbox)/m,
    );
  },
  BUILD_TIMEOUT_MS,
);
