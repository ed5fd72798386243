/** Which steps `install` and `uninstall` plan on which machine. */
import { describe, expect, test } from 'bun:test';
import { planInstall, planUninstall } from '../../../src/program/install/plan.ts';
import { show } from '../../../src/program/install/show.ts';
import type { Owner, Step, SystemState } from '../../../src/program/install/steps.ts';
import { createPaint } from '../../../src/program/paint.ts';
import { after, brief, debian, install, noCaddy, quiet, ROOTS, SECRET, UNIT } from './machines.ts';

describe('install refuses', () => {
  test.each([
    ['all while caddy.service has the ports', 'all', debian(), 'has the ports'],
    ['an agent without a caddy.service', 'agent', debian({}, { caddy: noCaddy }), '--managed'],
    ['all without a Caddy', 'all', debian({}, { caddy: noCaddy }), 'apt-get install caddy'],
  ] as const)('%s', (_what, role, system, reason) => {
    expect(() => install(role, system)).toThrow(reason);
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

describe('install of all', () => {
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

describe('install of an agent that invites a hub', () => {
  const AGENT = `${UNIT}agent.service`;
  const DROP_IN = '/run/systemd/system/signalbox-agent.service.d/invite.conf';
  const invite = (system: SystemState, url: string | null = null) =>
    planInstall('agent', false, null, system, () => SECRET, { url });

  test('is refused for another root folder', () => {
    expect(() => invite(debian({}, { live: false }))).toThrow('--invite');
  });

  test('writes no token, and has only this one start invite', () => {
    const steps = invite(debian(), 'https://vps.example:3002');
    const order = brief(steps);
    expect(order).not.toContain('write /etc/signalbox/agent-token');
    expect(after(steps)[AGENT]).not.toMatch(/agent-token|--invite/);
    expect(after(steps)['/etc/signalbox/agent.env']).toContain('\nAGENT_HOST=0.0.0.0\n');
    expect(after(steps)[DROP_IN]).toBe(
      '[Service]\nExecStart=\nExecStart=/usr/local/bin/signalbox agent --invite https://vps.example:3002\n',
    );
    expect(order.slice(order.indexOf(`write ${DROP_IN}`) + 1)).toEqual([
      'systemctl daemon-reload',
      'systemctl enable signalbox-agent.service',
      'systemctl restart signalbox-agent.service',
      `remove ${DROP_IN}`,
      'systemctl daemon-reload',
      'journalctl --sync',
      expect.stringMatching(/^journalctl --unit=signalbox-agent\.service /),
    ]);
  });

  test('is upgraded without a token, and without an invitation unless asked', () => {
    const installed = debian(after(invite(debian())));
    expect(brief(install('agent', installed)).filter((one) => /^write|^remove/.test(one))).toEqual(
      [],
    );
    expect(brief(invite(installed))).toContain(`write ${DROP_IN}`);
    expect(after(install('agent', debian()))[AGENT]).toContain('agent-token');
  });
});
