/** Torn files of Caddy's storage, with files that each Caddy made. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { replacedRoots, setTornAside } from '../../../../agent/caddy/storage/repair.ts';
import { DAMAGES, MISSING } from '../../../harness/damage.ts';
import { addSecureSite } from '../../../harness/secure-site.ts';
import { signUp, startLocalCaStack, temporaryFolder, until } from '../../../harness/stack.ts';

const bin = 'caddy';

const options = { now: new Date('2026-03-04T05:06:07Z'), settle: 0 };
const TORN = '.torn-2026-03-04';

const AUTHORITY = 'pki/authorities/local';
const LEAF = 'certificates/local/a.test';
const ACCOUNT = 'acme/acme.test-directory/users/default';
const ROOT = ['intermediate.crt', 'intermediate.key', 'root.crt', 'root.key'].map((name) =>
  join(AUTHORITY, name),
);
const INTERMEDIATE = ROOT.filter((path) => path.includes('intermediate'));
const PARTS = ['crt', 'json', 'key'].map((type) => `${LEAF}/a.test.${type}`);
const USER = ['json', 'key'].map((type) => `${ACCOUNT}/default.${type}`);

/** Which files are set aside with which. */
const GROUPS = [
  { files: ROOT.filter((path) => path.includes('root')), aside: [...ROOT, 'certificates/local'] },
  { files: INTERMEDIATE, aside: INTERMEDIATE },
  { files: PARTS, aside: PARTS },
  { files: USER, aside: USER },
];
const ALL = GROUPS.flatMap(({ files, aside }) => files.map((file) => ({ file, aside })));
const AUTHORITY_FILES = ALL.filter(({ file }) => file.startsWith('pki'));

describe('the storage of Caddy', () => {
  const folder = temporaryFolder();
  const whole = join(folder, 'whole');
  let copies = 0;
  beforeAll(async () => {
    const stack = await startLocalCaStack({ PROXY_BIN: bin });
    try {
      await addSecureSite(stack, await signUp(stack), 'a.test');
      const storage = join(stack.dataDir, 'caddy/data/caddy');
      await until(() => existsSync(join(storage, LEAF, 'a.test.json')), 'the certificate');
      // Locks come and go.
      const filter = (path: string) => path !== join(storage, 'locks');
      cpSync(storage, whole, { recursive: true, filter });
    } finally {
      await stack.stop();
    }
    // An account is made like this; getting one takes a certificate authority.
    mkdirSync(join(whole, ACCOUNT), { recursive: true });
    copyFileSync(join(whole, PARTS[2] ?? ''), join(whole, USER[1] ?? ''));
    writeFileSync(join(whole, USER[0] ?? ''), '{"status":"valid","contact":[]}');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function copy(): string {
    const storage = join(folder, String(copies++));
    cpSync(whole, storage, { recursive: true });
    return storage;
  }
  const filesOf = (storage: string) =>
    readdirSync(storage, { recursive: true, encoding: 'utf8' }).toSorted();

  test('is not touched if it is whole', async () => {
    const storage = copy();
    expect(await setTornAside(storage, options)).toEqual([]);
    expect(filesOf(storage)).toEqual(filesOf(whole));
    expect(await replacedRoots(storage)).toEqual([]);
  });

  test.each([
    ...DAMAGES.flatMap((one) => ALL.map((each) => ({ ...one, ...each }))),
    ...AUTHORITY_FILES.map((each) => ({ ...MISSING, ...each })),
  ])('$file $damage is set aside with what belongs to it', async ({ file, harm, aside }) => {
    const storage = copy();
    harm(join(storage, file));
    const expected = aside.filter((path) => existsSync(join(storage, path)));
    expect((await setTornAside(storage, options)).toSorted()).toEqual(expected.toSorted());
    for (const path of aside)
      expect([path, existsSync(join(storage, path))]).toEqual([path, false]);
    for (const path of expected)
      expect(readdirSync(join(storage, path, '..'))).toContain(`${path.split('/').at(-1)}${TORN}`);
    expect(await replacedRoots(storage)).toEqual(aside.includes(ROOT[2] ?? '') ? ['local'] : []);
    expect(await setTornAside(storage, options)).toEqual([]);
  });

  test('a certificate without key or JSON is left to Caddy', async () => {
    for (const file of PARTS) {
      const storage = copy();
      MISSING.harm(join(storage, file));
      expect(await setTornAside(storage, options)).toEqual([]);
    }
  });

  test.each(['root', 'intermediate'])('%s with another key is set aside', async (name) => {
    const storage = copy();
    copyFileSync(join(storage, PARTS[2] ?? ''), join(storage, AUTHORITY, `${name}.key`));
    expect(await setTornAside(storage, options)).toContain(join(AUTHORITY, `${name}.crt`));
  });

  test('a chain that is cut after its first certificate is set aside', async () => {
    const storage = copy();
    const file = join(storage, PARTS[0] ?? '');
    writeFileSync(file, readFileSync(file).subarray(0, -40));
    expect((await setTornAside(storage, options)).toSorted()).toEqual(PARTS);
  });

  test('the first authority of a day is the one that is kept', async () => {
    const storage = copy();
    const first = readFileSync(join(storage, AUTHORITY, 'root.crt'), 'utf8');
    MISSING.harm(join(storage, AUTHORITY, 'root.key'));
    await setTornAside(storage, options);
    writeFileSync(join(storage, AUTHORITY, 'root.crt'), '');
    expect(await setTornAside(storage, options)).toEqual([join(AUTHORITY, 'root.crt')]);
    expect(readFileSync(join(storage, AUTHORITY, `root.crt${TORN}`), 'utf8')).toBe(first);
  });

  test('a link is not followed, whatever it replaces', async () => {
    for (const linked of ['certificates', 'certificates/local', LEAF, PARTS[0] ?? '']) {
      const [storage, elsewhere] = [copy(), copy()];
      for (const file of PARTS) writeFileSync(join(elsewhere, file), '');
      const before = filesOf(elsewhere);
      rmSync(join(storage, linked), { recursive: true });
      symlinkSync(join(elsewhere, linked), join(storage, linked));
      expect(await setTornAside(storage, options)).toEqual([]);
      expect(filesOf(elsewhere)).toEqual(before);
    }
  });
});

test('a folder that is not there is not made', async () => {
  const folder = temporaryFolder();
  expect(await setTornAside(join(folder, 'none'), options)).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});
