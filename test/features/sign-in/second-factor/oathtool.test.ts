// proof: oathtool
/** The codes with which tests sign in are those of `oathtool`: a program that neither the hub nor they use. */
import { expect, test } from 'bun:test';
import { codeOf } from '../../../harness/second-factor.ts';

const SECRETS = [
  'JBSWY3DPEHPK3PXP',
  'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  'MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U',
];
const TIMES = [59, 1_111_111_109, 1_234_567_890, 2_000_000_000, 20_000_000_000];

const codeOfOathtool = (secret: string, seconds: number): string => {
  const now = `${new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  const { stdout } = Bun.spawnSync(['oathtool', '--totp', '--base32', '--now', now, secret]);
  return stdout.toString().trim();
};

test.each(SECRETS)('codes of %s', (secret) => {
  const pairs = TIMES.map((at) => [codeOf(secret, 0, at * 1000), codeOfOathtool(secret, at)]);
  expect(pairs.map(([ours]) => ours)).toEqual(pairs.map(([, other]) => other ?? ''));
  expect(new Set(pairs.flat()).size).toBe(TIMES.length);
});
