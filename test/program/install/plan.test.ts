/** Which steps `install` and `uninstall` plan on which machine. */
import { describe, expect, test } from 'bun:test';
import { planInstall, planUninstall } from '../../../src/program/install/plan.ts';
import { show } from '../../../src/program/install/show.ts';
import type { Owner, Step, SystemState } from '../../../src/program/install/steps.ts';
import { createPaint } from '../../../src/program/paint.ts';
import type { Role } from '../../../src/program/settings.ts';

const SECRET = 'not-to-be-system-not-to-be-system-not-to-be-system';
const ROOTS: Owner = { uid: 0, gid: 0, mode: 0o755 };
const UNIT = '/etc/systemd/system/signalbox-';
const FORMER = '/etc/systemd/system/signalbox.service';

/** A Debian with the caddy package, and signalbox in /usr/local/bin. */
function debian(files: Record<string, string> = {}, more: Partial<SystemState> = {}): SystemState {
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
const install = (role: Role, system: SystemState, managed = false) =>
  planInstall(role, managed, system, () => SECRET);
/** A plan in short. */
const brief = (steps: Step[]) =>
  steps.map((step) => {
    if (step.do === 'run') return step.command.join(' ');
    return `${step.do} ${'to' in step && step.do !== 'own' ? step.to : step.path}`;
  });
/** The files a plan writes, with their texts. */
const after = (steps: Step[]) =>
  Object.fromEntries(
    steps.flatMap((step) => (step.do === 'write' ? [[step.path, step.text]] : [])),
  );

describe('install refuses', () => {
  test.each([
    ['all while caddy.service has the ports', 'all', debian(), 'has the ports'],
    ['an agent without a caddy.service', 'agent', debian({}, { caddy: noCaddy }), '--managed'],
    ['all without a Caddy', 'all', debian({}, { caddy: noCaddy }), 'apt-get install caddy'],
    [
      'a hub beside the single unit of an earlier version',
      'hub',
      debian({ [FORMER]: '' }),
      'replace it with signalbox install',
    ],
    [
      'all if the settings of that unit cannot be divided',
      'all',
      debian(
        { [FORMER]: '', '/etc/signalbox/signalbox.env': 'HUB_PORT=1\nAGENT_TOKEN_FILE=/x\n' },
        { caddy: quiet },
      ),
      'signalbox.env sets AGENT_TOKEN_FILE',
    ],
  ] as const)('%s', (_what, role, system, reason) => {
    expect(() => install(role, system)).toThrow(reason);
  });
});

describe('install of all', () => {
  const DATA = '/var/lib/private/signalbox';

  test('makes two units that share only the token', () => {
    const steps = install('all', debian({}, { caddy: quiet }));
    expect(brief(steps)).toEqual([
      'write /etc/signalbox/agent-token',
      'write /etc/signalbox/hub.env',
      'write /etc/signalbox/agent.env',
      `write ${UNIT}hub.service`,
      `write ${UNIT}agent.service`,
      'systemctl daemon-reload',
      'systemctl enable signalbox-hub.service',
      'systemctl restart signalbox-hub.service',
      'systemctl enable signalbox-agent.service',
      'systemctl restart signalbox-agent.service',
    ]);
    const [hub = '', agent = ''] = ['hub', 'agent'].map(
      (name) => after(steps)[`${UNIT}${name}.service`],
    );
    expect([hub, agent].every((text) => text.includes('\nDynamicUser=yes\n'))).toBe(true);
    expect(agent).toContain('PROXY_MANAGED=true');
    const folders = (text: string) => /StateDirectory=.*/.exec(text)?.[0];
    expect(folders(hub)).not.toBe(folders(agent));
  });

  const former = {
    [FORMER]: '',
    '/etc/signalbox/signalbox.env':
      '# mine\nHUB_PORT=1\nPROXY_HTTP_PORT=80\nIMPORT_DIRS=/srv\nACCESS_LOG_KEEP=3\nTZ=UTC\n',
    [`${DATA}/signalbox.db`]: '',
    [`${DATA}/agent-token`]: 'x',
    [`${DATA}/caddy`]: '',
    [`${DATA}/Caddyfile`]: '',
  };

  test('replaces the single unit of an earlier version, and keeps its data and settings', () => {
    const steps = install('all', debian(former, { caddy: quiet }));
    const order = brief(steps);
    expect(order.slice(5, 12)).toEqual([
      'systemctl disable --now signalbox.service',
      `move ${DATA}-agent/caddy`,
      `move ${DATA}-agent/Caddyfile`,
      `remove ${DATA}/agent-token`,
      `remove ${FORMER}`,
      'systemctl daemon-reload',
      'systemctl enable signalbox-hub.service',
    ]);
    const settings = (name: string) =>
      after(steps)[`/etc/signalbox/${name}.env`]?.match(/^\w+=.*$/gm);
    expect(settings('hub')).toEqual(['HUB_PORT=1', 'IMPORT_DIRS=/srv', 'TZ=UTC']);
    expect(settings('agent')).toEqual(['IMPORT_DIRS=/srv', 'ACCESS_LOG_KEEP=3', 'TZ=UTC']);
  });

  test('completes a move that was interrupted, and never moves over what is there', () => {
    const left = { ...former, [`${DATA}-agent/caddy`]: '' };
    const { [FORMER]: _, ...gone } = left;
    const order = brief(install('all', debian(gone, { caddy: quiet })));
    expect(order.filter((line) => line.startsWith('move'))).toEqual([
      `move ${DATA}-agent/Caddyfile`,
    ]);
  });
});

describe('install', () => {
  test('of a hub writes token, settings and unit, and starts it', () => {
    expect(brief(install('hub', debian({}, { caddy: noCaddy })))).toEqual([
      'write /etc/signalbox/agent-token',
      'write /etc/signalbox/hub.env',
      `write ${UNIT}hub.service`,
      'systemctl daemon-reload',
      'systemctl enable signalbox-hub.service',
      'systemctl restart signalbox-hub.service',
    ]);
  });

  test('never shows the token, and overwrites neither token nor settings', () => {
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

  test('lets an agent beside Caddy replace the Caddyfile, and records who owned the folder', () => {
    const steps = install('agent', debian());
    expect(steps).toContainEqual({
      do: 'own',
      path: '/etc/caddy',
      from: ROOTS,
      to: { uid: 0, gid: 995, mode: 0o775 },
    });
    // The record first, so that an interrupted install can be undone.
    const order = brief(steps);
    expect(order.indexOf('write /etc/signalbox/before-agent.json')).toBeLessThan(
      order.indexOf('own /etc/caddy'),
    );
  });

  test('of an agent that runs Caddy itself leaves that folder alone', () => {
    const order = brief(install('agent', debian({}, { caddy: quiet }), true));
    expect(order.filter((line) => line.includes('/etc/caddy'))).toEqual([]);
  });

  test('restores the folder if the agent was beside caddy.service before', () => {
    const opened: Owner = { uid: 0, gid: 995, mode: 0o775 };
    const system = debian(after(install('agent', debian())), { caddy: quiet });
    const owner: SystemState['owner'] = (path) =>
      path === '/etc/caddy' ? opened : system.owner(path);
    const steps = install('agent', { ...system, owner }, true);
    expect(steps).toContainEqual({ do: 'own', path: '/etc/caddy', from: opened, to: ROOTS });
    expect(brief(steps)).toContain('remove /etc/signalbox/before-agent.json');
  });

  test('copies a program that others can change to where they cannot', () => {
    const program = { path: '/home/ada/dist/signalbox', safe: false };
    const steps = install('hub', debian({}, { program }));
    expect(brief(steps)[0]).toBe('copy /usr/local/bin/signalbox');
    expect(after(steps)[`${UNIT}hub.service`]).toContain(
      'ExecStart=/usr/local/bin/signalbox hub\n',
    );
  });

  test('starts a program that only root can change where it is', () => {
    const program = { path: '/opt/signalbox/signalbox', safe: true };
    const steps = install('hub', debian({}, { program }));
    expect(brief(steps).some((line) => line.startsWith('copy'))).toBe(false);
    expect(after(steps)[`${UNIT}hub.service`]).toContain(
      'ExecStart=/opt/signalbox/signalbox hub\n',
    );
  });

  test('below another root runs and copies nothing', () => {
    const program = { path: '/home/ada/dist/signalbox', safe: false };
    const order = brief(install('hub', debian({}, { live: false, program })));
    expect(order.filter((line) => !line.startsWith('write '))).toEqual([]);
  });

  test('shows a changed unit as a diff', () => {
    const before = after(install('hub', debian()));
    const old = before[`${UNIT}hub.service`]?.replace('RestartSec=2', 'RestartSec=9') ?? '';
    const steps = install('hub', debian({ ...before, [`${UNIT}hub.service`]: old }));
    const text = show(steps[0] as Step, createPaint(false, {}));
    expect(text).toContain('    -RestartSec=9\n    +RestartSec=2\n');
    expect(text).not.toContain('ProtectSystem');
  });
});

describe('uninstall', () => {
  const files = {
    ...after(install('hub', debian())),
    ...after(install('agent', debian())),
    '/var/lib/signalbox': '',
    '/var/lib/signalbox-agent': '',
  };

  test('refuses what is not installed', () => {
    expect(() => planUninstall(null, true, debian())).toThrow('nothing is installed here');
    const hub = debian(after(install('hub', debian())));
    expect(() => planUninstall('agent', false, hub)).toThrow('nothing is installed here');
  });

  test('removes the single unit of an earlier version, and with --purge its settings', () => {
    const former = debian({ [FORMER]: '', '/etc/signalbox/signalbox.env': '' });
    expect(brief(planUninstall(null, false, former))).toEqual([
      'systemctl disable --now signalbox.service',
      `remove ${FORMER}`,
      'systemctl daemon-reload',
    ]);
    expect(brief(planUninstall('all', true, former))).toContain(
      'remove /etc/signalbox/signalbox.env',
    );
  });

  test('keeps data, settings and token', () => {
    expect(brief(planUninstall(null, false, debian(files)))).toEqual([
      'systemctl disable --now signalbox-hub.service',
      `remove ${UNIT}hub.service`,
      'systemctl disable --now signalbox-agent.service',
      `remove ${UNIT}agent.service`,
      'systemctl daemon-reload',
      'remove /etc/signalbox/before-agent.json',
    ]);
  });

  test('restores the owners of folder and Caddyfile', () => {
    const agents: Owner = { uid: 999, gid: 995, mode: 0o644 };
    const opened: Owner = { uid: 0, gid: 995, mode: 0o775 };
    const system = debian(files);
    const owner: SystemState['owner'] = (path) =>
      ({ '/etc/caddy': opened, '/etc/caddy/Caddyfile': agents })[path] ?? system.owner(path);
    const steps = planUninstall('agent', false, { ...system, owner });
    expect(steps).toContainEqual({ do: 'own', path: '/etc/caddy', from: opened, to: ROOTS });
    expect(steps).toContainEqual({
      do: 'own',
      path: '/etc/caddy/Caddyfile',
      from: agents,
      to: ROOTS,
    });
    const hub = planUninstall('hub', false, { ...system, owner });
    expect(hub.some((step) => step.do === 'own')).toBe(false);
  });

  test('with --purge removes everything but the Caddyfile and what another role still needs', () => {
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

  test('removes the program with the last role, if install copied it', () => {
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
