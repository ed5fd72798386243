// proof: systemd
/** The systemd units that `install` writes, as systemd itself sees them. */
import { describe, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { INSTALLED } from '../../../src/program/install/layout.ts';
import { unitText } from '../../../src/program/install/unit.ts';
import { folderForFile } from '../../harness/for-file.ts';

const folder = folderForFile();

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
  // In a folder of its own: two of the units have the same name.
  const file = join(folder, name, INSTALLED[role].unit);
  mkdirSync(join(folder, name));
  writeFileSync(file, text);

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
