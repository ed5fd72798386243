/** Which texts are the certificates of authorities, and what a refusal says and does not say. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { authoritiesIn, faultOfAuthorities } from '../../../src/hub/recipes/authorities.ts';
import { clientCertificate } from '../../../src/hub/recipes/policies/client-certificate.ts';
import { checkValues } from '../../../src/hub/recipes/values.ts';
import { Failure } from '../../../src/shared/failure.ts';
import { folderForFile } from '../../harness/for-file.ts';

const folder = folderForFile();
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const EC = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes';

/** Makes NAME.pem, and its key NAME.key. */
const make = (name: string, options: string): void =>
  openssl(`req -x509 -subj /CN=${name} -keyout ${name}.key -out ${name}.pem ${options}`);

function openssl(options: string): void {
  const command = `openssl ${options}`;
  const { exitCode, stderr } = Bun.spawnSync(['sh', '-ec', command], { cwd: folder });
  if (exitCode !== 0) throw new Error(stderr.toString());
}

beforeAll(() => {
  make('home', `${EC} -days 10`);
  make('rsa', '-newkey rsa:2048 -nodes -days 10');
  make('edwards', '-newkey ed25519 -nodes -days 10');
  make('weak', '-newkey rsa:1024 -nodes -days 10');
  openssl(`req -x509 -subj / -keyout nameless.key -out nameless.pem ${EC} -days 10`);
  make('leaf', `${EC} -days 10 -addext basicConstraints=critical,CA:FALSE`);
  openssl('x509 -in home.pem -signkey home.key -days -1 -out expired.pem');
  make('unknown', '-newkey ec -pkeyopt ec_paramgen_curve:secp256k1 -nodes -days 10');
});

const block = (base64: string, name = 'CERTIFICATE') =>
  `-----BEGIN ${name}-----\n${base64}\n-----END ${name}-----\n`;

describe('refused', () => {
  const NOT_ONE = 'one or more certificates in PEM, and nothing else';
  const UNREADABLE = 'a certificate that can be read: see certificate 1';

  test.each<[string, () => string, string]>([
    ['nothing', () => '', NOT_ONE],
    ['spaces', () => ' \n', NOT_ONE],
    ['a path', () => '/etc/ssl/home.pem', NOT_ONE],
    ['text before', () => `Subject: home\n${read('home.pem')}`, NOT_ONE],
    ['text between', () => `${read('home.pem')}x\n${read('rsa.pem')}`, NOT_ONE],
    ['text after', () => `${read('home.pem')}\n}\n`, NOT_ONE],
    ['half of one', () => read('home.pem').slice(0, 200), NOT_ONE],
    ['a placeholder', () => block('{env.HOME}'), NOT_ONE],
    ['another kind', () => block('AAAA', 'CERTIFICATE REQUEST'), NOT_ONE],
    ['no certificate', () => block('AAAA'), UNREADABLE],
    [
      'more bytes',
      () => block(`${authoritiesIn(read('home.pem'))[0]?.replace(/=+$/, '')}AAAA`),
      UNREADABLE,
    ],
    ['an unknown kind of key', () => read('unknown.pem'), UNREADABLE],
    [
      'a certificate that signs none',
      () => `${read('home.pem')}${read('leaf.pem')}`,
      'the certificate of an authority (CA:TRUE): see certificate 2',
    ],
    [
      'an authority without a name',
      () => read('nameless.pem'),
      'the certificate of an authority (CA:TRUE): see certificate 1',
    ],
    [
      'an expired one',
      () => read('expired.pem'),
      'a certificate that has not expired: see certificate 1',
    ],
    [
      'a weak key',
      () => read('weak.pem'),
      'a certificate with a key of at least 2048 bits: see certificate 1',
    ],
    ['too many', () => read('home.pem').repeat(21), 'at most 20 certificates'],
  ])('%s', (_, text, words) => {
    expect(faultOfAuthorities(text())).toBe(words);
  });

  test.each(['PRIVATE KEY', 'EC PRIVATE KEY', 'ENCRYPTED PRIVATE KEY'])(
    'a %s, which no response repeats',
    (name) => {
      const authority = `${read('home.pem')}${block('c2VjcmV0', name)}`;
      const check = () => checkValues(clientCertificate, { authority });
      expect(check).toThrow(Failure);
      expect(check).toThrow(
        'The field "authority" is invalid: It must be the certificate alone, without the private key',
      );
      expect(check).not.toThrow('c2VjcmV0');
    },
  );
});

test('accepted: several, of each kind, whatever ends their lines', () => {
  const all = `\n${read('home.pem')}\n\n${read('rsa.pem').replaceAll('\n', '\r\n')}${read('edwards.pem')}`;
  expect(faultOfAuthorities(all)).toBeNull();
  const der = (name: string) =>
    Bun.spawnSync(['sh', '-c', `openssl x509 -in ${name}.pem -outform der | base64 -w0`], {
      cwd: folder,
    }).stdout.toString();
  expect(authoritiesIn(all)).toEqual([der('home'), der('rsa'), der('edwards')]);
});
