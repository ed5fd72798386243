// proof: systemd
/** The Debian package on a machine with a live systemd: installed, upgraded, removed, purged, and interrupted. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { debName, makeDeb } from '../../scripts/release/deb.ts';
import { BUILD_TIMEOUT_MS, binaryIn, buildForHere, host, ROOT } from '../harness/build.ts';
import { temporaryFolder } from '../harness/stack.ts';
import { type Machine, retry, startMachine } from '../harness/systemd.ts';

const folder = temporaryFolder();
const OLD = '1.0.0';
const NEW = '1.1.0';
const deb = (version: string) => `/machine/${debName(version, host.cpu)}`;
const HUB = 'http://127.0.0.1:3000/api';
const JSON_TYPE = "-H 'Content-Type: application/json'";
const UNITS = 'signalbox-agent signalbox-hub';

/** What Debian's package has caddy.service serve. */
const WELCOME = 'http://127.0.0.1 {\n  respond welcome\n}\n';
const OWN_SITE = 'http://own.localhost {\n  respond own\n}\n';

const isDebian = Bun.which('dpkg-deb') && Bun.spawnSync(['dpkg', '-s', 'caddy']).exitCode === 0;
const machine = isDebian ? await startMachine(folder) : null;
const run = (script: string) => (machine as Machine).must(script);

beforeAll(async () => {
  if (!machine) return console.warn('NOT TESTED, the Debian package on a machine with systemd');
  const binary = await buildForHere(folder);
  for (const version of [OLD, NEW]) {
    const making = { root: ROOT, out: folder, version, date: 1_700_000_000 };
    makeDeb(binary, host.cpu, making, ['-Znone']);
  }
  for (const [name, text] of Object.entries(KILLERS)) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, name), text, { mode: 0o755 });
  }
  writeFileSync(join(folder, 'Caddyfile'), WELCOME);
  // Whatever this system has there: services may start, caddy.service serves what its package brought, and for
  // dpkg, which reads the lists of all packages and completes the others too, there is only what is needed.
  await run(`rm -f /usr/sbin/policy-rc.d
    packages=$(dpkg -s libc6 systemd init-system-helpers caddy)
    sum=$(md5sum /machine/Caddyfile | cut -d' ' -f1)
    cd /var/lib/dpkg; rm -rf triggers/* updates/*
    echo "$packages" | sed "/^\\(Pre-\\)*Depends:/d
      s|^ /etc/caddy/Caddyfile [0-9a-f]*| /etc/caddy/Caddyfile $sum|" > status`);
}, BUILD_TIMEOUT_MS);
afterEach(() => machine?.run('PURGE_DATA=yes dpkg -P signalbox; systemctl stop caddy'));
afterAll(async () => {
  await machine?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Programs of the package's script that kill it, instead of or after their work. */
const KILLERS = {
  'systemd-sysusers': '#!/bin/sh\nkill -KILL $PPID\n',
  mv: '#!/bin/sh\nkill -KILL $PPID\n',
  'deb-systemd-helper': '#!/bin/sh\nkill -KILL $PPID\n',
  'deb-systemd-invoke': '#!/bin/sh\n/usr/bin/deb-systemd-invoke "$@"\nkill -KILL $PPID\n',
};
const killedBy = (name: keyof typeof KILLERS, command: string) =>
  `! PATH=/machine/${name}:$PATH ${command}; dpkg -s signalbox | grep 'Status:.* half-configured'`;

/** What dpkg runs after Caddy's package was installed. */
const TRIGGER =
  "sh -c 'dpkg-trigger --by-package=caddy --no-await /usr/bin/caddy; dpkg --configure -a'";

/** As its package does it. */
const startCaddy = (caddyfile: string) =>
  run(`rm -rf /etc/caddy/*; printf '%s' '${caddyfile}' > /etc/caddy/Caddyfile
    systemctl enable --now caddy`);
/** `active` or what else, of each unit. */
const states = async (units = UNITS) =>
  (await run(`systemctl is-active ${units} || true`)).split('\n');
const pids = async () => (await run(`systemctl show -P MainPID ${UNITS}`)).split(/\s+/);
const ACTIVE = ['active', 'active'];
const STOPPED = ['inactive', 'inactive'];
const isServed = (domain: string, text: string) =>
  run(retry(`curl -s http://${domain}/ | grep -qx ${text}`));

/** @returns the header of a session of the hub's owner */
async function signUp(): Promise<string> {
  const account = '{"name":"Ada","email":"ada@example.org","password":"a long passphrase"}';
  const made = await run(`curl -sSf ${HUB}/auth/sign-up/email ${JSON_TYPE} -d '${account}'`);
  return `-H 'Authorization: Bearer ${(JSON.parse(made) as { token: string }).token}'`;
}
/** Adds the site, and waits until Caddy serves it. */
async function addSite(bearer: string): Promise<void> {
  const site = '{"domain":"http://a.localhost","config":"respond hello"}';
  await run(retry(`curl -sSf ${HUB}/vhosts ${bearer} ${JSON_TYPE} -d '${site}'`));
  await isServed('a.localhost', 'hello');
}
/** What is left of signalbox, but for the data: settings, links to units, programs that run. */
const left = () =>
  run(`ls -d /etc/signalbox /etc/systemd/system/signalbox* /etc/systemd/system/*.wants/signalbox* 2>&- || true
    ps axo args | grep -E '^[^ ]*(signalbox|caddy) ' || true`);
const data = () => run('ls -d /var/lib/signalbox* /var/lib/private/signalbox* 2>&- || true');

test.skipIf(!machine)(
  'starts both once there is a Caddy, keeps what is the administrator’s over upgrade and removal, and forgets all with the data',
  async () => {
    await run('mv /usr/bin/caddy /usr/bin/caddy.away');
    // However far the script gets, dpkg can run it again.
    await run(killedBy('systemd-sysusers', `dpkg -i ${deb(OLD)}`));
    await run(killedBy('mv', 'dpkg --configure -a'));
    expect(await run('ls -A /etc/signalbox')).toBe('agent-token.part\nagent.env\nhub.env');
    await run(killedBy('deb-systemd-helper', 'dpkg --configure -a'));
    const token = await run('cat /etc/signalbox/agent-token');
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect(await run("stat -c '%a %U' /etc/signalbox/agent-token")).toBe('600 root');
    await run(killedBy('deb-systemd-invoke', 'dpkg --configure -a'));
    expect(await run('dpkg --configure -a')).toContain('is started once Caddy is installed');
    expect(await states()).toEqual(['inactive', 'active']);

    // Caddy's package starts a service, which the agent takes the place of.
    await run('mv /usr/bin/caddy.away /usr/bin/caddy');
    await startCaddy(WELCOME);
    const stopping = 'stopping caddy.service, which only serves its welcome page';
    expect(await run(killedBy('deb-systemd-invoke', TRIGGER))).toContain(stopping);
    await run('dpkg --configure -a');
    expect(await states(`${UNITS} caddy`)).toEqual([...ACTIVE, 'inactive']);
    expect(await run('systemctl is-enabled caddy || true')).toBe('disabled');
    expect(await run("grep -c '^signalbox-' /etc/passwd")).toBe('2');
    const bearer = await signUp();
    await addSite(bearer);
    const users = "ps axo user:20,args | sed -n 's|^\\([^ ]*\\) */usr/bin/\\([^ ]*\\).*|\\1 \\2|p'";
    expect((await run(`${users} | grep -E 'signalbox|caddy' | sort -u`)).split('\n')).toEqual([
      'signalbox-agent caddy',
      'signalbox-agent signalbox',
      'signalbox-hub signalbox',
    ]);

    // An upgrade restarts both.
    await run("echo '# mine' >> /etc/signalbox/hub.env");
    const before = await pids();
    await run(killedBy('systemd-sysusers', `dpkg -i ${deb(NEW)}`));
    expect(await pids()).toEqual(before);
    await run('dpkg --configure -a');
    expect(await run('dpkg-query -W signalbox')).toBe(`signalbox\t${NEW}`);
    expect(await states()).toEqual(ACTIVE);
    for (const pid of before) expect(await pids()).not.toContain(pid);
    expect(await run('tail -n 1 /etc/signalbox/hub.env')).toBe('# mine');
    await isServed('a.localhost', 'hello');
    const stored = await run(retry(`curl -sSf ${HUB}/vhosts ${bearer}`));
    expect(JSON.parse(stored)).toEqual([expect.objectContaining({ domain: 'http://a.localhost' })]);

    // What is stopped stays so. What is disabled stays so even if the package was away.
    await run('systemctl disable --now signalbox-agent; systemctl stop signalbox-hub');
    await run(`dpkg -i ${deb(NEW)}`);
    expect(await states()).toEqual(STOPPED);
    await run('systemctl start signalbox-hub; dpkg -r signalbox');
    expect(await left()).toBe(
      '/etc/signalbox\n/etc/systemd/system/multi-user.target.wants/signalbox-hub.service',
    );
    await run('systemd-run --quiet --unit=other caddy respond --listen 127.0.0.1:3000');
    await run(retry('curl -sf http://127.0.0.1:3000/'));
    await run(`dpkg -i ${deb(NEW)}`);
    expect(await states('signalbox-agent other')).toEqual(['inactive', 'active']);
    await run(`systemctl stop other; ${retry('systemctl is-active signalbox-hub')}`);
    await run('systemctl enable --now signalbox-agent');
    await isServed('a.localhost', 'hello');
    expect(await run('tail -n 1 /etc/signalbox/hub.env')).toBe('# mine');
    expect(await run('cat /etc/signalbox/agent-token')).toBe(token);

    // A purge keeps the data, and the package starts with it.
    const kept = await data();
    expect(await run('dpkg -P signalbox')).toContain('signalbox: the data is kept. To remove it: ');
    expect(await left()).toBe('');
    expect(await data()).toBe(kept);
    await startCaddy(WELCOME);
    expect(await run(`dpkg -i ${deb(NEW)}`)).toContain(stopping);
    expect(await run('cat /etc/signalbox/agent-token')).not.toBe(token);
    await isServed('a.localhost', 'hello');
    expect(await run('PURGE_DATA=yes dpkg -P signalbox')).not.toContain('kept');
    expect(await left()).toBe('');
    expect(await data()).toBe('');
  },
  BUILD_TIMEOUT_MS,
);

test.skipIf(!machine)(
  'leaves a Caddy that serves sites alone, and an agent that is installed beside it goes with the package',
  async () => {
    await startCaddy(OWN_SITE);
    const shown = await run(`dpkg -i ${deb(OLD)}`);
    expect(shown).toContain('caddy.service serves sites, so the agent is not started.');
    expect(await states(`${UNITS} caddy`)).toEqual(['inactive', 'active', 'active']);
    expect(await run('systemctl is-enabled signalbox-agent || true')).toBe('disabled');
    await isServed('own.localhost', 'own');

    // Its Caddyfile says nothing if somebody changed the unit.
    const dropIn = '/etc/systemd/system/caddy.service.d';
    await run(`cp /machine/Caddyfile /etc/caddy/Caddyfile
      mkdir ${dropIn}; echo '[Service]' > ${dropIn}/own.conf; systemctl daemon-reload`);
    expect(await run(TRIGGER)).toContain('caddy.service serves sites');
    await run(`rm -r ${dropIn}; systemctl daemon-reload`);
    await isServed('own.localhost', 'own');

    const [, advice = ''] = /beside that Caddy: +sudo (.*)/.exec(shown) ?? [];
    await run(`${advice} --yes`);
    expect(await run("stat -c '%a %G' /etc/caddy")).toBe('775 caddy');
    // Its Caddy is wanted, whatever it serves.
    await run(TRIGGER);
    await isServed('own.localhost', 'own');
    const before = await pids();
    await run(`dpkg -i ${deb(NEW)}`);
    for (const pid of before) expect(await pids()).not.toContain(pid);
    expect(await states(`${UNITS} caddy`)).toEqual([...ACTIVE, 'active']);

    await run('dpkg -r signalbox');
    expect(await run('ls /etc/systemd/system')).not.toContain('signalbox');
    expect(await run("stat -c '%a %G' /etc/caddy")).toBe('755 root');
    await isServed('own.localhost', 'own');
  },
  BUILD_TIMEOUT_MS,
);

test.skipIf(!machine)(
  'leaves what `signalbox install` made alone, until that is uninstalled',
  async () => {
    const own = `/machine/${binaryIn('', host)}`;
    await run(`${own} install --yes`);
    const bearer = await signUp();
    await addSite(bearer);
    const before = await pids();
    const token = await run('cat /etc/signalbox/agent-token');
    const shown = await run(`dpkg -i ${deb(NEW)}`);
    expect(await run('PURGE_DATA=yes dpkg -P signalbox')).toContain('token and data are kept');
    expect(await pids()).toEqual(before);
    expect(await run('cat /etc/signalbox/agent-token')).toBe(token);

    await run(`dpkg -i ${deb(NEW)}`);
    const advice = shown.match(/(?<=^ {4}sudo ).*/gm) ?? [];
    expect(advice).toEqual([
      'signalbox uninstall',
      'systemctl enable --now signalbox-hub signalbox-agent',
    ]);
    await run(advice.map((line) => line.replace('uninstall', 'uninstall --yes')).join('\n'));
    expect(await run('ls /usr/local/bin /etc/systemd/system')).not.toContain('signalbox');
    await isServed('a.localhost', 'hello');
    await run(retry(`curl -sSf ${HUB}/vhosts ${bearer}`));
    await run('PURGE_DATA=yes dpkg -P signalbox');
    expect(await left()).toBe('');
    expect(await data()).toBe('');
  },
  BUILD_TIMEOUT_MS,
);
