// proof: systemd
/** `signalbox install` and its units under a live systemd. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseInvitation } from '../../src/shared/invitation.ts';
import { BUILD_TIMEOUT_MS, binaryIn, buildForHere, host } from '../harness/build.ts';
import { filesOf, readPage } from '../harness/page.ts';
import { temporaryFolder } from '../harness/stack.ts';
import { type Machine, retry, startMachine } from '../harness/systemd.ts';

const folder = temporaryFolder();
const machine = await startMachine(folder);
const signalbox = `/machine/${binaryIn('', host)}`;
const HUB = 'http://127.0.0.1:3000/api';
const JSON_TYPE = "-H 'Content-Type: application/json'";

beforeAll(async () => {
  if (machine) await buildForHere(folder);
}, BUILD_TIMEOUT_MS);
afterAll(async () => {
  await machine?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (script: string) => (machine as Machine).must(script);

/** The files that a page shows. */
async function putFilesOf(page: string): Promise<void> {
  for (const [path, text] of await filesOf(page)) {
    writeFileSync(join(folder, basename(path)), text);
    await run(`mkdir -p ${dirname(path)}; cp /machine/${basename(path)} ${path}`);
  }
}

/** The users that processes with this command line run as. */
const usersOf = async (pattern: string) =>
  (await run(`ps axo user:20,args | grep '${pattern}' | cut -d' ' -f1 | sort -u`)).split('\n');

test.skipIf(!machine)(
  'installs two services with users of their own, which come back and go away',
  async () => {
    await run('systemd-run --quiet --unit=other caddy respond --listen :80');
    const plan = await run(retry(`${signalbox} install --print | grep 'is held'`));
    expect(plan).toMatch(
      /ports 80 and 443 yet: 80 is held by caddy \(pid \d+, other\.service\)\.$/,
    );
    await run('systemctl stop other');

    expect(await run(`${signalbox} install --yes`)).toContain(
      "\nCaddy's ports will be 80 for HTTP and 443 for HTTPS.\nThe dashboard will be at http://127.0.0.1:3000;",
    );
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

    // The hub's unit may not list the interfaces, so it says from which address it reaches others.
    await run('ip addr add 192.168.7.5/32 dev lo; ip route add default dev lo src 192.168.7.5');
    await run('echo HUB_HOST=0.0.0.0 > /etc/signalbox/hub.env; systemctl restart signalbox-hub');
    await run(
      retry('journalctl -u signalbox-hub | grep -q "other machines: http://192.168.7.5:3000"'),
    );
    await run('ip route del default dev lo; ip addr del 192.168.7.5/32 dev lo');

    // A setting of the agent is applied without another Caddy; what it refuses changes nothing.
    const pids = () => run('pgrep -f "[c]addy run"; systemctl show -P MainPID signalbox-agent');
    const before = await pids();
    await run('echo LOG_LEVEL=loud > /etc/signalbox/agent.env; ! systemctl reload signalbox-agent');
    await run(retry('journalctl -u signalbox-agent | grep -q "LOG_LEVEL"'));
    await run('echo LOG_FORMAT=json > /etc/signalbox/agent.env; systemctl reload signalbox-agent');
    await run(retry('journalctl -u signalbox-agent | grep -q \'"proxy adopted"\''));
    expect(await pids()).toBe(before);
    await run('rm /etc/signalbox/agent.env; systemctl reload signalbox-agent');
    expect(await pids()).toBe(before);
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
    // What the own Caddy has is in nobody's way.
    expect(await run(`${signalbox} install --yes`)).toContain("Caddy's ports will be 80 for HTTP");
    await run(served);
    const ports = await run(`DATA_DIR=/var/lib/signalbox ${signalbox} ports`);
    expect(ports).toBe("Caddy's ports are 80 for HTTP and 443 for HTTPS.");
    const stored = await run(retry(`curl -sSf ${HUB}/vhosts ${bearer}`));
    expect(JSON.parse(stored)).toEqual([expect.objectContaining({ domain: 'http://a.localhost' })]);

    // Backups, as the documentation has the hub make them; also on a disk that is mounted later.
    await putFilesOf('docs/deployment.md');
    const page = await readPage('docs/deployment.md');
    const [block = ''] = page.blocksUnder('systemd').slice(-1);
    const [makeFolder = '', ...rest] = block.replaceAll('sudo ', '').trim().split('\n');
    await run(rest.join('\n'));
    const backup = `curl -sS -X POST ${HUB}/backups ${bearer}`;
    expect(await run(retry(`${backup} | grep STORAGE`))).toContain('BACKUP_DIR is not there');
    await run(`mkdir -p /mnt/nas; mount -t tmpfs tmpfs /mnt/nas; ${makeFolder}`);
    expect(JSON.parse(await run(backup))).toMatchObject({
      failure: null,
      unreadable: null,
      backups: [{ own: true, key: 'none' }],
    });
    await run('rm -r /etc/systemd/system/signalbox-hub.service.d');

    // The dead man's switch of the documentation: it reports only a hub that answers.
    await putFilesOf('docs/notifications.md');
    const reported = 'http://127.0.0.1:3002/health';
    await run(`echo PING_URL=${reported} > /etc/signalbox/alive.env; systemctl daemon-reload`);
    await run('systemctl enable --now signalbox-alive.timer');
    await run('systemctl start signalbox-alive.service');
    await run('systemctl stop signalbox-hub; ! systemctl start signalbox-alive.service');
    await run('systemctl disable --now signalbox-alive.timer');
    await run('rm /etc/signalbox/alive.env /etc/systemd/system/signalbox-alive.*');

    await run(`${signalbox} uninstall --purge --yes`);
    const left =
      'ls /var/lib /var/lib/private /etc/systemd/system /etc/signalbox; ps axo comm | sed s/^/runs-/';
    expect(await run(left)).not.toMatch(
      /^(signalbox|agent-token|hub|agent|runs-caddy|runs-signalbox)/m,
    );
  },
  BUILD_TIMEOUT_MS,
);

test.skipIf(!machine)(
  'installs an agent that invites a hub at this start alone',
  async () => {
    const unit = 'signalbox-agent.service';
    const printed = await run(`${signalbox} install agent --managed --invite --yes`);
    const [, line = ''] = /^invitation: (\S+)$/m.exec(printed) ?? [];
    const invitation = parseInvitation(line);
    expect(invitation?.url).toMatch(/^https:\/\/[\d.]+:3002$/);
    expect(await run('ls /etc/signalbox')).not.toContain('token');
    expect(await run(`systemctl show -p ExecStart ${unit}`)).not.toContain('--invite');

    const request = { hub: 'a'.repeat(32), term: 1, token: 't'.repeat(43) };
    const enrol = (secret: string) =>
      run(
        `curl -sk https://127.0.0.1:3002/enrol -d '${JSON.stringify({ ...request, secret })}' -w ' %{http_code}'`,
      );
    expect(await enrol('x')).toEndWith(' 401');
    expect(await enrol(invitation?.secret ?? '')).toBe('{"success":true} 200');

    await run(`systemctl restart ${unit}`);
    const bearer = `-H 'Authorization: Bearer ${request.token}'`;
    const status = await run(`curl -skf https://127.0.0.1:3002/proxy/status ${bearer}`);
    expect(JSON.parse(status)).toMatchObject({ owner: request.hub, proxy: { running: true } });
    expect(await run(`journalctl -u ${unit} -o cat | grep -c ^invitation:`)).toBe('1');
    await run(`${signalbox} install agent --managed --yes`);
    await run(`curl -skf https://127.0.0.1:3002/proxy/status ${bearer}`);
    await run(`${signalbox} uninstall --purge --yes`);
  },
  BUILD_TIMEOUT_MS,
);
