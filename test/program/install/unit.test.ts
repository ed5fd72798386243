import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMANDS } from '../../../src/program/cli/commands.ts';
import { parseWords } from '../../../src/program/cli/parse.ts';
import { INSTALLED, PARTS } from '../../../src/program/install/parts.ts';
import { settingsText, unitText } from '../../../src/program/install/unit.ts';
import { knownSettings } from '../../harness/settings.ts';
import { temporaryFolder } from '../../harness/stack.ts';

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * The highest exposure that is let through, of 10: a little above what version 252 of
 * systemd-analyze says (1.1, 1.4, 1.5, 1.5), since others weigh differently.
 */
const MOST = { hub: 1.5, agent: 1.8, 'agent --managed': 1.9, all: 1.9 };
const UNITS = [
  ['hub', 'hub', false],
  ['agent', 'agent', false],
  ['agent --managed', 'agent', true],
  ['all', 'all', false],
] as const;

/** Older versions than the units are for do not know what stands in them. */
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

describe.each(UNITS)('the unit of %s', (name, part, managed) => {
  const text = unitText({ part, managed, program: '/usr/bin/true' });
  const lines = text.split('\n');
  // By its own name, in a folder for each: two of them have the same one.
  const file = join(folder, name, INSTALLED[part].unit);
  mkdirSync(join(folder, name));
  writeFileSync(file, text);

  test('holds no secret, and no user who could do more than its work', () => {
    expect(text).not.toMatch(/AGENT_TOKEN=|User=root|CAP_(?!NET_BIND_SERVICE)/);
    expect(lines.filter((line) => /^User=|^DynamicUser=/.test(line))).toHaveLength(1);
    expect(text.includes('CAP_NET_BIND_SERVICE')).toBe(part === 'all' || managed);
  });

  test('asks for what the program can do', () => {
    const command = lines
      .find((line) => line.startsWith('ExecStart='))
      ?.split(' ')
      .slice(1);
    expect(parseWords(command ?? ['?'], COMMANDS)).toMatchObject({ ask: 'run' });
    for (const line of ['Type=notify', 'Restart=always', 'ProtectSystem=strict']) {
      expect(lines).toContain(line);
    }
    if (part !== 'all') {
      expect(lines).toContain('LoadCredential=agent-token:/etc/signalbox/agent-token');
      expect(lines).toContain('Environment=AGENT_TOKEN_FILE=%d/agent-token');
    }
  });

  test('sets what the program knows', () => {
    const settings = knownSettings();
    const names = [
      ...`${text}${settingsText(part)}`.matchAll(/^(?:Environment=|#(?! ))([A-Z_]+)=/gm),
    ];
    expect(names.length).toBeGreaterThan(1);
    for (const [, setting = ''] of names) expect(settings).toContain(setting);
  });

  test.skipIf(analyze === null)('passes systemd-analyze verify', () => {
    const broken = join(folder, name, 'broken.service');
    writeFileSync(broken, text.replace('ProtectSystem=strict', 'ProtectSystem=strictly'));
    expect(run('verify', broken).err).toContain('protect system');
    const { exitCode, err } = run('verify', file);
    expect([exitCode, err.includes(INSTALLED[part].unit)]).toEqual([0, false]);
  });

  test.skipIf(analyze === null)('is as closed as it is said to be', () => {
    const { out } = run('security', '--offline=true', '--no-pager', file);
    const [, score] = /Overall exposure level for \S+: (\d+\.\d+)/.exec(out) ?? [];
    expect(Number(score)).toBeGreaterThan(0);
    expect(Number(score)).toBeLessThanOrEqual(MOST[name]);
  });
});

test('the parts keep their things apart, but for the folder that hub and all share', () => {
  const of = (key: 'unit' | 'settings') => new Set(PARTS.map((part) => INSTALLED[part][key])).size;
  expect([of('unit'), of('settings')]).toEqual([3, 3]);
});
