/** The systemd units that `install` writes. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseWords } from '../../../src/program/cli/command.ts';
import { COMMANDS } from '../../../src/program/cli/commands.ts';
import { INSTALLED } from '../../../src/program/install/layout.ts';
import { settingsText, unitText } from '../../../src/program/install/unit.ts';
import { VARIABLES } from '../../../src/program/settings.ts';
import { temporaryFolder } from '../../harness/stack.ts';

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * The highest exposure allowed, of 10: a little above what systemd-analyze 252 reports (1.1, 1.4, 1.5),
 * because other versions weigh differently.
 */
const MOST = { hub: 1.5, agent: 1.8, 'agent --managed': 1.9 };
const UNITS = [
  ['hub', 'hub', false],
  ['agent', 'agent', false],
  ['agent --managed', 'agent', true],
] as const;

/** Null for versions too old for the units. */
const analyze = (() => {
  if (Bun.which('systemd-analyze') === null) return null;
  const { stdout } = Bun.spawnSync(['systemd-analyze', '--version']);
  const version = Number(/^systemd (\d+)/.exec(stdout.toString())?.[1]);
  return version >= 250 ? version : null;
})();
const run = (...words: string[]) => {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['systemd-analyze', ...words]);
  return { exitCode, out: stdout.toString(), err: stderr.toString() };
};

describe.each(UNITS)('the unit of %s', (name, role, managed) => {
  const text = unitText({ role, managed, program: '/usr/bin/true' });
  const lines = text.split('\n');
  // In a folder of its own: two of the units have the same name.
  const file = join(folder, name, INSTALLED[role].unit);
  mkdirSync(join(folder, name));
  writeFileSync(file, text);

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

  test.skipIf(analyze === null)('passes systemd-analyze verify', () => {
    const broken = join(folder, name, 'broken.service');
    writeFileSync(broken, text.replace('ProtectSystem=strict', 'ProtectSystem=strictly'));
    expect(run('verify', broken).err).toContain('protect system');
    const { exitCode, err } = run('verify', file);
    expect([exitCode, err.includes(INSTALLED[role].unit)]).toEqual([0, false]);
  });

  test.skipIf(analyze === null)('exposes no more than the docs say', () => {
    const { out } = run('security', '--offline=true', '--no-pager', file);
    const [, score] = /Overall exposure level for \S+: (\d+\.\d+)/.exec(out) ?? [];
    expect(Number(score)).toBeGreaterThan(0);
    expect(Number(score)).toBeLessThanOrEqual(MOST[name]);
  });
});

test('each role has its own unit and settings file', () => {
  const count = (key: 'unit' | 'settings') =>
    new Set(Object.values(INSTALLED).map((installed) => installed[key])).size;
  expect([count('unit'), count('settings')]).toEqual([2, 2]);
});
