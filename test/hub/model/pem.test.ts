/** What is accepted as a certificate and its key, and what is refused, by its field. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { chainFacts, isValidFor, readPair } from '../../../src/hub/model/pem.ts';
import { Failure } from '../../../src/shared/failure.ts';
import { temporaryFolder } from '../../harness/stack.ts';

const folder = temporaryFolder();
/** After all of them were made. */
const NOW = new Date(Date.now() + 3_600_000);

const openssl = async (...args: string[]) => {
  const process = Bun.spawn(['openssl', ...args], { cwd: folder, stderr: 'pipe' });
  if ((await process.exited) !== 0) throw new Error(await new Response(process.stderr).text());
};
const text = (name: string) => Bun.file(join(folder, name)).text();

/** Makes NAME.pem and NAME.key. @param by who signs it; itself if missing */
async function issue(name: string, extensions: string[], more: string[] = [], by?: string) {
  const added = extensions.flatMap((one) => ['-addext', one]);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const given = more.includes('-key') || more.includes('-newkey') ? [] : key;
  const signer = by ? ['-CA', `${by}.pem`, '-CAkey', `${by}.key`] : [];
  const out = ['-keyout', `${name}.key`, '-out', `${name}.pem`, '-subj', `/CN=${name}/O=Test`];
  await openssl('req', '-x509', '-days', '30', ...given, ...more, ...signer, ...added, ...out);
}

const NAMES = 'subjectAltName=DNS:*.home.example,DNS:home.example';
const LEAF = [NAMES, 'basicConstraints=CA:FALSE'];

beforeAll(async () => {
  await issue('root', ['basicConstraints=critical,CA:TRUE']);
  await issue('middle', ['basicConstraints=critical,CA:TRUE'], [], 'root');
  await issue('leaf', LEAF, [], 'middle');
  await issue('other', LEAF, [], 'middle');
  await issue('alone', [NAMES]);
});

/** What a pair is refused with. */
function refusal(chain: string, key: string, now = NOW) {
  try {
    readPair(chain, key, now);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    expect(error.code).toBe('INVALID_REQUEST');
    expect(JSON.stringify([error.message, error.detail, error.hint])).not.toMatch(/MI[GI]/);
    return { field: error.at.field, message: error.message };
  }
  throw new Error('accepted');
}

describe('refused', () => {
  test('the key of another certificate, a chain in the wrong order, or with a stranger in it', async () => {
    const [leaf, middle, root, key] = (await Promise.all(
      ['leaf.pem', 'middle.pem', 'root.pem', 'leaf.key'].map(text),
    )) as [string, string, string, string];
    expect(refusal(leaf, await text('other.key')).field).toBe('key');
    expect(refusal(middle + leaf, key)).toMatchObject({
      field: 'chain',
      message: expect.stringContaining('has to come first'),
    });
    expect(refusal(leaf + root + middle, key).message).toContain('Certificate 2');
    expect(refusal(leaf + (await text('alone.pem')), key).message).toContain('Certificate 2');
  });

  test('what is expired, not yet valid, for no host or not for servers', async () => {
    const [leaf, key] = [await text('leaf.pem'), await text('leaf.key')];
    const inDays = (days: number) => new Date(NOW.getTime() + days * 86_400_000);
    expect(refusal(leaf, key, inDays(31)).message).toContain('expired on');
    expect(refusal(leaf, key, inDays(-2)).message).toContain('not valid before');
    await issue('nobody', ['basicConstraints=CA:FALSE']);
    expect(refusal(await text('nobody.pem'), await text('nobody.key')).message).toContain(
      'names no host',
    );
    await issue('client', [NAMES, 'extendedKeyUsage=clientAuth']);
    expect(refusal(await text('client.pem'), await text('client.key')).message).toContain(
      'not for servers',
    );
    await issue('address', ['subjectAltName=IP:192.168.1.5']);
    expect(refusal(await text('address.pem'), await text('address.key')).message).toContain(
      'addresses only',
    );
    await issue('odd', ['subjectAltName=DNS:a b.example,DNS:x\\nimport y,email:a@b.example']);
    expect(refusal(await text('odd.pem'), await text('odd.key')).message).toContain('no host');
  });

  test('weak, encrypted, damaged and missing keys', async () => {
    await issue('weak', [NAMES], ['-newkey', 'rsa:1024', '-nodes']);
    expect(refusal(await text('weak.pem'), await text('weak.key'))).toEqual({
      field: 'key',
      message: 'The RSA key has 1024 bits, and browsers need 2048.',
    });
    const leaf = await text('leaf.pem');
    await openssl('pkey', '-in', 'leaf.key', '-aes256', '-passout', 'pass:x', '-out', 'enc.key');
    const traditional = ['-traditional', '-aes256', '-passout', 'pass:x', '-out', 'old.key'];
    await openssl('pkey', '-in', 'leaf.key', ...traditional);
    for (const name of ['enc.key', 'old.key']) {
      expect(refusal(leaf, await text(name)).message).toContain('passphrase');
    }
    const key = await text('leaf.key');
    const damaged = key.replace(/[A-Za-z]{8}/g, 'AAAAAAAA');
    for (const wrong of [
      '',
      'x',
      leaf,
      key + key,
      damaged.replace(/BEGIN.*?-/, 'BEGIN PRIVATE KEY-'),
    ]) {
      expect(refusal(leaf, wrong).field).toBe('key');
    }
  });

  test('no certificate, a damaged one, too much, or a key among them', async () => {
    const [leaf, key] = [await text('leaf.pem'), await text('leaf.key')];
    const damaged = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    for (const wrong of ['', 'x', damaged, leaf + damaged, leaf + key, 'x'.repeat(100_000)]) {
      expect(refusal(wrong, key).field).toBe('chain');
    }
    expect(refusal(leaf.repeat(11), key).message).toContain('at most 10');
    expect(refusal(leaf, 'x'.repeat(100_000)).field).toBe('key');
  });
});

describe('accepted', () => {
  test('a chain with its key, without anything around them', async () => {
    const all = (await text('leaf.pem')) + (await text('middle.pem'));
    const pair = readPair(`Bag Attributes\n${all}# end`, `x\n${await text('leaf.key')}`, NOW);
    expect(pair.chain.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    expect(pair.chain).not.toContain('Bag');
    expect(pair.key).toStartWith('-----BEGIN PRIVATE KEY-----');
    expect(readPair(pair.chain, pair.key, NOW)).toEqual(pair);
    const facts = chainFacts(pair);
    expect(facts).toMatchObject({
      names: ['*.home.example', 'home.example'],
      issuer: 'middle (Test)',
      warning: null,
    });
    expect(facts.serial).toMatch(/^[0-9a-f]+$/);
  });

  test.each(['rsa:2048', 'ed25519', 'ec'])('a key of %s', async (kind) => {
    const more = kind === 'ec' ? ['-pkeyopt', 'ec_paramgen_curve:P-384'] : [];
    await issue('kind', [NAMES], ['-newkey', kind, ...more, '-nodes']);
    const pair = readPair(await text('kind.pem'), await text('kind.key'), NOW);
    expect(chainFacts(pair).warning).toBeNull();
  });

  test('a missing intermediate, with a warning', async () => {
    const pair = readPair(await text('leaf.pem'), await text('leaf.key'), NOW);
    expect(chainFacts(pair).warning).toContain('middle (Test)');
  });
});

test('a wildcard stands for exactly one label', () => {
  const names = ['*.home.example', 'home.example'];
  for (const host of ['a.home.example', 'home.example', '*.home.example']) {
    expect(isValidFor(names, host)).toBe(true);
  }
  for (const host of ['a.b.home.example', 'example', '', 'ahome.example', '.home.example.x']) {
    expect(isValidFor(names, host)).toBe(false);
  }
});
