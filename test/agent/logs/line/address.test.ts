import { describe, expect, test } from 'bun:test';
import {
  addAddress,
  addressHash,
  canonicalIp,
  createAddressFilter,
  mayHaveAddress,
  plainAddressHash,
  shrunk,
} from '../../../../agent/logs/line/address.ts';
import { random } from '../lines.ts';

const hashOfBytes = (text: string) => {
  const bytes = Buffer.from(`x${text}y`);
  return plainAddressHash(bytes, 1, bytes.length - 1);
};

describe('the hash of an address', () => {
  test.each([
    ['2001:db8::ff', ['2001:DB8::00ff', '2001:0db8:0:0:0:0:0:ff', '[2001:db8::ff]']],
    ['::ffff:102:304', ['::FFFF:1.2.3.4', '0:0:0:0:0:ffff:1.2.3.4']],
    ['fe80::1%eth0', ['fe80::1%Eth0']],
    ['10.0.0.1', ['[10.0.0.1]']],
  ])('is the same for all spellings of %s', (address, spellings) => {
    for (const each of spellings) {
      expect(each).not.toBe(address);
      expect(addressHash(each)).toBe(addressHash(address));
    }
  });

  test.each(['[::1]', '::ffff:1.2.3.4', 'fe80::1%eth0', '[10.0.0.1]', 'ünïcödé'])(
    'of the bytes of %p needs the canonical form',
    (text) => expect(hashOfBytes(text)).toBeUndefined(),
  );

  test('of bytes is that of the canonical form, whatever they are', () => {
    const r = random(4);
    let compared = 0;
    for (let i = 0; i < 20_000; i++) {
      const length = r.below(12);
      const text = Array.from({ length }, () => r.pick([...'0019afAF:::..[]%g'])).join('');
      const hash = hashOfBytes(text);
      if (hash === undefined) continue;
      compared++;
      expect([text, hash]).toEqual([text, addressHash(canonicalIp(text))]);
    }
    expect(compared).toBeGreaterThan(1000);
  });
});

const addresses = (count: number, from: number) =>
  Array.from({ length: count }, (_, i) => `10.${from}.${i >> 8}.${i & 255}`);

describe('a filter of addresses', () => {
  test.each([0, 1, 10, 100, 1600, 20_000])('has each of %d that were added', (count) => {
    const filter = createAddressFilter();
    const added = addresses(count, 1).map(addressHash);
    for (const hash of added) addAddress(filter, hash);
    const small = shrunk(filter);
    for (const hash of added) {
      expect(mayHaveAddress(filter, hash) && mayHaveAddress(small, hash)).toBe(true);
    }
  });

  test.each([
    [0, 32],
    [10, 32],
    [100, 64],
    [1600, 1024],
  ])('of %d takes %d bytes, and seems to have few others', (count, bytes) => {
    const filter = createAddressFilter();
    for (const each of addresses(count, 1)) addAddress(filter, addressHash(each));
    const small = shrunk(filter);
    expect(small.byteLength).toBe(bytes);
    const others = addresses(4000, 2).filter((each) => mayHaveAddress(small, addressHash(each)));
    expect(others.length / 4000).toBeLessThan(0.15);
  });
});
