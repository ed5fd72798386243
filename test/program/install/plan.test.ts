import { describe, expect, test } from 'bun:test';
import {
  type Owner,
  planInstall,
  planUninstall,
  type Seen,
  type Step,
} from '../../../src/program/install/plan.ts';
import { show } from '../../../src/program/install/show.ts';
import { createPaint } from '../../../src/program/paint.ts';

const SECRET = 'not-to-be-seen-not-to-be-seen-not-to-be-seen';
const ROOTS: Owner = { uid: 0, gid: 0, mode: 0o755 };
const UNIT = '/etc/systemd/system/signalbox-';

/** A Debian with Caddy's package, where a binary lies in /usr/local/bin. */
function debian(files: Record<string, string> = {}, more: Partial<Seen> = {}): Seen {
  const all: Record<string, string> = { '/etc/caddy/Caddyfile': ':80\n', ...files };
  const folders = ['/etc/caddy'];
  return {
    text: (path) => all[path] ?? null,
    owner: (path) => (path in all || folders.includes(path) ? ROOTS : null),
    caddy: { gid: 995, unit: true, runs: true, program: true },
    live: true,
    program: { path: '/usr/local/bin/signalbox', safe: true },
    ...more,
  };
}
const noCaddy = { gid: null, unit: false, runs: false, program: false };
const quiet = { gid: 995, unit: true, runs: false, program: true };
const install = (part: 'hub' | 'agent' | 'all', seen: Seen, managed = false) =>
  planInstall(part, managed, seen, () => SECRET);
/** What a plan does, in short. */
const brief = (steps: Step[]) =>
  steps.map((step) => {
    if (step.do === 'run') return step.command.join(' ');
    return `${step.do} ${step.do === 'copy' ? step.to : step.path}`;
  });
/** The machine after a plan. */
const after = (steps: Step[]) =>
  Object.fromEntries(
    steps.flatMap((step) => (step.do === 'write' ? [[step.path, step.text]] : [])),
  );

describe('installing is refused', () => {
  test.each([
    ['all where caddy.service has the ports', 'all', debian(), 'has the ports'],
    ['an agent without a caddy.service', 'agent', debian({}, { caddy: noCaddy }), '--managed'],
    ['all without a Caddy', 'all', debian({}, { caddy: noCaddy }), 'apt-get install caddy'],
    [
      'all beside a hub',
      'all',
      debian({ [`${UNIT}hub.service`]: '' }, { caddy: quiet }),
      'signalbox-hub.service is installed',
    ],
    [
      'a hub beside all',
      'hub',
      debian({ '/etc/systemd/system/signalbox.service': '' }),
      'signalbox.service is installed',
    ],
  ] as const)('%s', (_what, part, seen, reason) => {
    expect(() => install(part, seen)).toThrow(reason);
  });
});

describe('installing', () => {
  test('a hub: token, settings, unit, and systemd is told', () => {
    expect(brief(install('hub', debian({}, { caddy: noCaddy })))).toEqual([
      'write /etc/signalbox/agent-token',
      'write /etc/signalbox/hub.env',
      `write ${UNIT}hub.service`,
      'systemctl daemon-reload',
      'systemctl enable signalbox-hub.service',
      'systemctl restart signalbox-hub.service',
    ]);
  });

  test('never shows the token, nor writes over it or over settings', () => {
    const steps = install('hub', debian());
    const plain = createPaint(false, {});
    expect(steps.map((step) => show(step, plain)).join('')).not.toContain(SECRET);
    const again = install(
      'hub',
      debian({ ...after(steps), '/etc/signalbox/hub.env': 'HUB_PORT=1\n' }),
    );
    expect(brief(again).filter((line) => !line.startsWith('systemctl'))).toEqual([]);
    expect(brief(again)).toContain('systemctl restart signalbox-hub.service');
  });

  test('an agent beside Caddy may replace the file, and it is noted whose the folder was', () => {
    const steps = install('agent', debian());
    expect(steps).toContainEqual({
      do: 'own',
      path: '/etc/caddy',
      from: ROOTS,
      to: { uid: 0, gid: 995, mode: 0o775 },
    });
    // The note first: an install that is cut short can be undone.
    const order = brief(steps);
    expect(order.indexOf('write /etc/signalbox/before-agent.json')).toBeLessThan(
      order.indexOf('own /etc/caddy'),
    );
  });

  test('an agent with a Caddy of its own leaves that folder alone', () => {
    const order = brief(install('agent', debian({}, { caddy: quiet }), true));
    expect(order.filter((line) => line.includes('/etc/caddy'))).toEqual([]);
  });

  test('and gives it back where it was beside caddy.service before', () => {
    const opened: Owner = { uid: 0, gid: 995, mode: 0o775 };
    const seen = debian(after(install('agent', debian())), { caddy: quiet });
    const owner: Seen['owner'] = (path) => (path === '/etc/caddy' ? opened : seen.owner(path));
    const steps = install('agent', { ...seen, owner }, true);
    expect(steps).toContainEqual({ do: 'own', path: '/etc/caddy', from: opened, to: ROOTS });
    expect(brief(steps)).toContain('remove /etc/signalbox/before-agent.json');
  });

  test('a program that others can change is copied to where they cannot', () => {
    const program = { path: '/home/ada/dist/signalbox', safe: false };
    const steps = install('hub', debian({}, { program }));
    expect(brief(steps)[0]).toBe('copy /usr/local/bin/signalbox');
    expect(after(steps)[`${UNIT}hub.service`]).toContain(
      'ExecStart=/usr/local/bin/signalbox hub\n',
    );
  });

  test('a program that only root can change is started where it is', () => {
    const program = { path: '/opt/signalbox/signalbox', safe: true };
    const steps = install('hub', debian({}, { program }));
    expect(brief(steps).some((line) => line.startsWith('copy'))).toBe(false);
    expect(after(steps)[`${UNIT}hub.service`]).toContain(
      'ExecStart=/opt/signalbox/signalbox hub\n',
    );
  });

  test('below another root nothing is run or copied', () => {
    const program = { path: '/home/ada/dist/signalbox', safe: false };
    const order = brief(install('hub', debian({}, { live: false, program })));
    expect(order.filter((line) => !line.startsWith('write '))).toEqual([]);
  });

  test('a unit that changes is shown as a diff', () => {
    const before = after(install('hub', debian()));
    const old = before[`${UNIT}hub.service`]?.replace('RestartSec=2', 'RestartSec=9') ?? '';
    const steps = install('hub', debian({ ...before, [`${UNIT}hub.service`]: old }));
    const text = show(steps[0] as Step, createPaint(false, {}));
    expect(text).toContain('    -RestartSec=9\n    +RestartSec=2\n');
    expect(text).not.toContain('ProtectSystem');
  });
});

describe('uninstalling', () => {
  const files = {
    ...after(install('hub', debian())),
    ...after(install('agent', debian())),
    '/var/lib/signalbox': '',
    '/var/lib/signalbox-agent': '',
  };

  test('what is not there is refused', () => {
    expect(() => planUninstall(null, true, debian())).toThrow('nothing of it here');
    expect(() => planUninstall('all', false, debian(files))).toThrow('nothing of it here');
  });

  test('leaves data, settings and token', () => {
    expect(brief(planUninstall(null, false, debian(files)))).toEqual([
      'systemctl disable --now signalbox-hub.service',
      `remove ${UNIT}hub.service`,
      'systemctl disable --now signalbox-agent.service',
      `remove ${UNIT}agent.service`,
      'systemctl daemon-reload',
      'remove /etc/signalbox/before-agent.json',
    ]);
  });

  test('gives the folder and the file back', () => {
    const agents: Owner = { uid: 999, gid: 995, mode: 0o644 };
    const opened: Owner = { uid: 0, gid: 995, mode: 0o775 };
    const seen = debian(files);
    const owner: Seen['owner'] = (path) =>
      ({ '/etc/caddy': opened, '/etc/caddy/Caddyfile': agents })[path] ?? seen.owner(path);
    const steps = planUninstall('agent', false, { ...seen, owner });
    expect(steps).toContainEqual({ do: 'own', path: '/etc/caddy', from: opened, to: ROOTS });
    expect(steps).toContainEqual({
      do: 'own',
      path: '/etc/caddy/Caddyfile',
      from: agents,
      to: ROOTS,
    });
    const hub = planUninstall('hub', false, { ...seen, owner });
    expect(hub.some((step) => step.do === 'own')).toBe(false);
  });

  test('with --purge all goes but what another part still needs, and never the Caddyfile', () => {
    const one = brief(planUninstall('agent', true, debian(files)));
    expect(one).toContain('remove /var/lib/signalbox-agent');
    expect(one).not.toContain('remove /etc/signalbox/agent-token');
    expect(one).not.toContain('remove /var/lib/signalbox');
    const all = brief(planUninstall(null, true, debian(files)));
    expect(all).toContain('remove /etc/signalbox/agent-token');
    expect(all).toContain('remove /var/lib/signalbox');
    expect(all.filter((line) => line.includes('/etc/caddy'))).toEqual([]);
    expect(new Set(all).size).toBe(all.length);
  });

  test('the program goes with the last part, where it was put there', () => {
    const copied = {
      ...files,
      '/etc/signalbox/program-copied': '',
      '/usr/local/bin/signalbox': '',
    };
    const program = 'remove /usr/local/bin/signalbox';
    expect(brief(planUninstall(null, false, debian(copied)))).toContain(program);
    expect(brief(planUninstall('hub', false, debian(copied)))).not.toContain(program);
    const own = { ...files, '/usr/local/bin/signalbox': '' };
    expect(brief(planUninstall(null, true, debian(own)))).not.toContain(program);
  });
});
