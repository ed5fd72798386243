// proof: packages
/** When `bun run release` refuses, and what it leaves. */
import { describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../../package.json';
import { sourceDate } from '../../scripts/checkout.ts';
import { assertFresh } from '../../scripts/release/advisories.ts';
import { ADVISORIES_AS_OF } from '../../src/shared/advisories.ts';
import { ROOT } from '../harness/build.ts';
import { folderForFile } from '../harness/for-file.ts';

const folder = folderForFile();

const DAY_MS = 86_400_000;
/** So many days after that of the table of advisories. */
const daysAfter = (days: number) => Date.parse(ADVISORIES_AS_OF) + days * DAY_MS;

/** Has the clock of a process stand still. */
function clockAt(time: number): string {
  const file = join(folder, `clock-${time}.ts`);
  writeFileSync(
    file,
    `const Real = Date;
     globalThis.Date = class extends Real {
       constructor(...given) { super(...(given.length === 0 ? [${time}] : given)); }
       static now() { return ${time}; }
     };`,
  );
  return file;
}

function release(words: string[], days = 1, env: Record<string, string> = {}) {
  const command = ['--preload', clockAt(daysAfter(days)), 'scripts/release/release.ts', ...words];
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, ...command], {
    cwd: ROOT,
    env: { ...process.env, ...env },
  });
  return { code: exitCode, err: stderr.toString() };
}

describe('a release is refused', () => {
  test('if the table of advisories is older than 60 days, and makes nothing', () => {
    const out = join(folder, 'old');
    const { code, err } = release(['sbom', '--out', out], 61);
    expect([code, err]).toEqual([1, expect.stringContaining(`is of ${ADVISORIES_AS_OF}`)]);
    expect(err).toContain('src/shared/advisories.ts');
    expect(existsSync(out)).toBe(false);
    expect(() => assertFresh(new Date(daysAfter(61)))).toThrow('60 days');
    assertFresh(new Date(daysAfter(61) - 1));
  });

  test('for another tag than that of the version', () => {
    const out = join(folder, 'tag');
    const { code, err } = release(['sbom', '--out', out, '--tag', 'v99.0.0']);
    expect([code, err]).toEqual([1, expect.stringContaining(`says v${manifest.version}`)]);
    expect(existsSync(out)).toBe(false);
  });

  test('for an unknown part, and lists the known ones', () => {
    const { code, err } = release(['rpm']);
    expect([code, err]).toEqual([1, expect.stringContaining('use binaries, sbom, deb, images')]);
  });

  test('for an unknown option', () => {
    const { code, err } = release(['sbom', '--outdir', folder]);
    expect([code, err]).toEqual([1, expect.stringContaining("Unknown option '--outdir'")]);
  });

  test('without the programs that a part needs, before anything is made', () => {
    const out = join(folder, 'bare');
    const { code, err } = release(['--out', out], 1, { PATH: '/nowhere' });
    expect([code, err]).toEqual([1, expect.stringContaining('the part deb needs dpkg-deb; ')]);
    expect(err).toContain('the part images needs apt-get');
    expect(existsSync(out)).toBe(false);
    const own = join(folder, 'own');
    expect(
      release(['sbom', '--out', own], 1, { PATH: '/nowhere', SOURCE_DATE_EPOCH: '5' }),
    ).toEqual({ code: 0, err: '' });
  });

  test('outside a checkout without a time', () => {
    expect(() => sourceDate(folder, {})).toThrow('SOURCE_DATE_EPOCH');
    expect(() => sourceDate(folder, { SOURCE_DATE_EPOCH: 'today' })).toThrow('SOURCE_DATE_EPOCH');
    expect(sourceDate(folder, { SOURCE_DATE_EPOCH: '5' })).toBe(5);
  });
});

test('leaves nothing of an older release, all of others, and the sums of what it made', () => {
  const out = join(folder, 'out');
  mkdirSync(out);
  for (const left of ['.build-1', '.image-1', 'signalbox', 'signalbox-docs']) {
    mkdirSync(join(out, left));
    writeFileSync(join(out, left, 'file'), '');
  }
  writeFileSync(join(out, 'signalbox_0.0.1_amd64.deb'), '');
  writeFileSync(join(out, 'notes.txt'), '');
  expect(release(['sbom', '--out', out, '--tag', `v${manifest.version}`])).toEqual({
    code: 0,
    err: '',
  });
  const name = `signalbox-${manifest.version}.cdx.json`;
  const foreign = ['notes.txt', 'signalbox', 'signalbox-docs'];
  expect(readdirSync(out).toSorted()).toEqual(['SHA256SUMS', ...foreign, name].toSorted());
  const check = Bun.spawnSync(['sha256sum', '-c', 'SHA256SUMS'], { cwd: out });
  expect(check.stdout.toString()).toBe(`${name}: OK\n`);
});
