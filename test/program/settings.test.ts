/** The table of settings, compared with what the program reads and what the docs and `--help` say. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { commandHelp, overallHelp, settingsHelp } from '../../src/program/cli/help.ts';
import { readSettings } from '../../src/program/config.ts';
import { settings, VARIABLES } from '../../src/program/settings.ts';
import { ROLES, type Setting } from '../../src/shared/setting.ts';
import { COMMANDS } from '../harness/commands.ts';

/** The variables that `readSettings` looks up. */
function variablesRead(): Set<string> {
  const names = new Set<string>();
  const machine = { readFile: () => '', which: (program: string) => `/usr/bin/${program}` };
  for (const role of ROLES) {
    for (const AGENT_TOKEN of ['t'.repeat(32), '']) {
      const get = (target: Record<string, string>, name: string) => {
        names.add(name);
        return target[name];
      };
      try {
        readSettings(role, new Proxy({ AGENT_TOKEN }, { get }), machine);
      } catch {
        // Without a token it looks for the token's file, and finds it empty.
      }
    }
  }
  return names;
}

test('the program reads every setting of the table, and no other', () => {
  expect([...variablesRead()].toSorted()).toEqual(
    [...VARIABLES, 'PATH', 'SIGNALBOX_FEATURES'].toSorted(),
  );
});

describe('docs/settings.md', async () => {
  const text = await Bun.file(join(import.meta.dir, '../../docs/settings.md')).text();
  const rows = [...text.matchAll(/^\| *(`[A-Z_]+`(?:, `[A-Z_]+`)*) *\|([^|]*)\|/gm)].map(
    ([, names = '', defaults = '']) => ({
      names: [...names.matchAll(/[A-Z_]+/g)].map(String),
      defaults,
    }),
  );

  test('names no setting that does not exist', () => {
    const names = rows.flatMap((row) => row.names);
    expect(names.filter((name) => !VARIABLES.includes(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(settings.map(([name, setting]) => [name, setting] as [string, Setting]))(
    'has %s with its defaults',
    (name, { default: usual, onOneMachine }) => {
      const row = rows.find(({ names }) => names.includes(name));
      for (const value of [usual ?? '', onOneMachine ?? '']) expect(row?.defaults).toContain(value);
    },
  );
});

describe('help', () => {
  test('of all settings lists every one', () => {
    const help = settingsHelp(ROLES);
    for (const name of VARIABLES) expect(help).toContain(name);
  });

  test('lists twelve that many people set, and where the others are', () => {
    const help = overallHelp(COMMANDS);
    const listed = settings.filter(([name]) => new RegExp(`^  ${name} `, 'm').test(help));
    expect(listed).toHaveLength(12);
    expect(listed.every(([, { isUsual }]) => isUsual)).toBe(true);
    expect(help).toContain('signalbox help settings');
  });

  test.each(['', 'hub', 'agent'])('of "signalbox %s" lists the settings it uses', (name) => {
    const command = COMMANDS.find((each) => each.name === name);
    const help = command ? commandHelp(command) : '';
    for (const [setting, { roles }] of settings) {
      const isListed = new RegExp(`^  ${setting} `, 'm').test(help);
      expect([setting, isListed]).toEqual([setting, roles.includes(command?.role ?? 'all')]);
    }
  });
});
