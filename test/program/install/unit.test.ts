/** The systemd units that `install` writes. */
import { describe, expect, test } from 'bun:test';
import { parseWords } from '../../../src/program/cli/command.ts';
import { INSTALLED } from '../../../src/program/install/layout.ts';
import { settingsText, unitText } from '../../../src/program/install/unit.ts';
import { VARIABLES } from '../../../src/program/settings.ts';
import { COMMANDS } from '../../harness/commands.ts';

const UNITS = [
  ['hub', 'hub', false],
  ['agent', 'agent', false],
  ['agent --managed', 'agent', true],
] as const;

describe.each(UNITS)('the unit of %s', (_, role, managed) => {
  const text = unitText({ role, managed, program: '/usr/bin/true' });
  const lines = text.split('\n');

  test('contains no secret, and grants no more than the program needs', () => {
    expect(text).not.toMatch(/AGENT_TOKEN=|User=root|CAP_(?!NET_BIND_SERVICE)/);
    expect(lines.filter((line) => /^User=|^DynamicUser=/.test(line))).toHaveLength(1);
    expect(text.includes('CAP_NET_BIND_SERVICE')).toBe(managed);
  });

  test('starts the program with arguments it understands', () => {
    const command = lines
      .find((line) => line.startsWith('ExecStart='))
      ?.split(' ')
      .slice(1);
    expect(parseWords(command ?? ['?'], COMMANDS)).toMatchObject({ ask: 'run' });
    for (const line of ['Type=notify', 'Restart=always', 'ProtectSystem=strict']) {
      expect(lines).toContain(line);
    }
    expect(lines).toContain('LoadCredential=agent-token:/etc/signalbox/agent-token');
    expect(lines).toContain('Environment=AGENT_TOKEN_FILE=%d/agent-token');
    // A site could have Caddy write a .env into any other folder of the unit.
    expect(lines).toContain('WorkingDirectory=/');
  });

  test('sets only settings that exist', () => {
    const names = [
      ...`${text}${settingsText(role)}`.matchAll(/^(?:Environment=|#(?! ))([A-Z_]+)=/gm),
    ];
    expect(names.length).toBeGreaterThan(1);
    for (const [, setting = ''] of names) expect(VARIABLES).toContain(setting);
  });
});

test('each role has its own unit and settings file', () => {
  const count = (key: 'unit' | 'settings') =>
    new Set(Object.values(INSTALLED).map((installed) => installed[key])).size;
  expect([count('unit'), count('settings')]).toEqual([2, 2]);
});
