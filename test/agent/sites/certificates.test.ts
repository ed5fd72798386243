import { expect, test } from 'bun:test';
import { PACE } from '../../../agent/pace.ts';
import { type Certified, createCertificates } from '../../../agent/sites/certificates.ts';
import { type HandshakeResult, handshake, type Target } from '../../../agent/sites/handshake.ts';
import { freePort } from '../../harness/stack.ts';

const target = (name: string): Target => ({ host: '', port: 443, name });
const good: HandshakeResult = {
  certificate: {
    issuer: 'x',
    names: [],
    notBefore: '2026-01-01T00:00:00.000Z',
    notAfter: '2027-01-01T00:00:00.000Z',
    fingerprint: '',
  },
};
const bad: HandshakeResult = { certificate: null, reason: 'no' };

function begin(answer: () => HandshakeResult | Promise<HandshakeResult>) {
  let time = 1_000_000;
  const asked: string[] = [];
  let [under, most] = [0, 0];
  const handshake = async ({ name }: Certified) => {
    asked.push(name);
    most = Math.max(most, ++under);
    const result = await answer();
    under--;
    return result;
  };
  const now = () => new Date(time);
  const certificates = createCertificates(handshake, PACE.certificates, now);
  const pass = (milliseconds: number) => {
    time += milliseconds;
  };
  return { certificates, asked, pass, most: () => most };
}

test('two thousand names take one handshake each, eight at a time', async () => {
  const { certificates, asked, most } = begin(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return good;
  });
  const targets = Array.from({ length: 2000 }, (_, i) => target(`${i}.example`));
  await Promise.all([certificates.refresh(targets), certificates.refresh(targets)]);
  expect([asked.length, new Set(asked).size, most()]).toEqual([2000, 2000, 8]);
  expect(certificates.last(target('7.example'))?.certificate).toEqual(good.certificate);
});

test('a certificate is kept for five minutes, a failure for a time that doubles to twenty seconds', async () => {
  const fine = begin(() => good);
  for (const pause of [0, 299_000, 2_000]) {
    fine.pass(pause);
    await fine.certificates.refresh([target('a')]);
  }
  expect(fine.asked.length).toBe(2);

  const failing = begin(() => bad);
  const looks: number[] = [];
  for (let second = 0; second < 80; second++) {
    await failing.certificates.refresh([target('a')]);
    if (failing.asked.length > looks.length) looks.push(second);
    failing.pass(1000);
  }
  expect(looks).toEqual([0, 5, 15, 35, 55, 75]);
});

test('one that is about to expire, or has, is looked at every fifteen seconds', async () => {
  const ending = (automated: boolean, days: number) => async () => {
    const left = new Date(1_000_000 + days * 86_400_000).toISOString();
    const from = new Date(1_000_000 - 60 * 86_400_000).toISOString();
    const answer = { certificate: { ...good.certificate, notBefore: from, notAfter: left } };
    const { certificates, asked, pass } = begin(() => answer as HandshakeResult);
    for (let second = 0; second < 60; second++) {
      await certificates.refresh([{ ...target('a'), automated }]);
      pass(1000);
    }
    return asked.length;
  };
  // Caddy renews it with a third left, and is late with a sixth: of 80 days, 13.
  expect(await ending(true, 20)()).toBe(1);
  expect(await ending(true, 10)()).toBe(4);
  expect(await ending(true, -1)()).toBe(4);
  expect(await ending(false, 20)()).toBe(1);
  expect(await ending(false, 13)()).toBe(4);
});

test('an expired name is due at once, and again when the proxy has settled', async () => {
  const { certificates, asked, pass } = begin(() => good);
  const targets = [target('a'), target('b')];
  await certificates.refresh(targets);
  certificates.expire((name) => name === 'b');
  await certificates.refresh(targets);
  expect(asked).toEqual(['a', 'b', 'b']);
  pass(5_000);
  await certificates.refresh(targets);
  expect(asked).toEqual(['a', 'b', 'b', 'b']);
  pass(5_000);
  await certificates.refresh(targets);
  expect(asked.length).toBe(4);
  certificates.keep([target('a')]);
  expect(certificates.last(target('b'))).toBeNull();
});

test('a handshake fails with a reason: nobody listens, no answer, a foreign address', async () => {
  const at = { host: '127.0.0.1', name: 'a.example' };
  expect(await handshake({ ...at, port: freePort() })).toEqual({
    certificate: null,
    reason: 'The proxy does not listen on this port.',
  });
  const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  expect(await handshake({ ...at, port: silent.port })).toEqual({
    certificate: null,
    reason: 'The proxy does not answer.',
  });
  silent.stop(true);
  let connections = 0;
  const rude = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        connections++;
        socket.end();
      },
      data() {},
    },
  });
  expect((await handshake({ ...at, port: rude.port })).certificate).toBeNull();
  expect(connections).toBe(1);
  const foreign = await handshake({ host: '', port: rude.port, name: '192.0.2.1' });
  expect(foreign).toMatchObject({ reason: expect.stringContaining('not an address of the proxy') });
  rude.stop(true);
});
