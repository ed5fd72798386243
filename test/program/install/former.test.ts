/** Two services on one machine, and what replaces the single unit of earlier versions. */
import { describe, expect, test } from 'bun:test';
import { planUninstall } from '../../../src/program/install/plan.ts';
import { after, brief, debian, install, quiet, UNIT } from './machines.ts';

const FORMER = '/etc/systemd/system/signalbox.service';

describe('install refuses', () => {
  test.each([
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

test('uninstall removes the single unit of an earlier version, and with --purge its settings', () => {
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
