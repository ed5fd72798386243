// proof: acme
/** From an order to the handshakes of two proxies, one with each Caddy, also under load and with an agent stopped. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Acme, HAS_ACME, NEW_ACCOUNT, NEW_ORDER, startAcme } from '../../harness/acme.ts';
import { CADDYS, versionOf } from '../../harness/caddys.ts';
import { selfSigned } from '../../harness/certificate.ts';
import { type Fleet, startFleet } from '../../harness/fleet.ts';
import { some } from '../../harness/full.ts';
import { presented } from '../../harness/lone-agent.ts';
import { limit } from '../../harness/speed.ts';
import { until } from '../../harness/stack.ts';

type Kept = { serial: string; behind?: string[] };

const SITE = 'app.home.example';
/** Connections each second, to both proxies together. */
const RATE = some(100, 200);
const UPLOADS = some(1, 20);

describe.skipIf(!HAS_ACME)('a wildcard from an authority', () => {
  let acme: Acme;
  let fleet: Fleet;
  /** The HTTPS ports of both proxies. */
  let ports: readonly number[];

  beforeAll(async () => {
    acme = await startAcme();
    fleet = await startFleet(
      ['two'],
      { ACME_DIRECTORY: acme.directory, ACME_ROOTS_FILE: acme.roots },
      undefined,
      { PROXY_BIN: CADDYS.at(-1)?.bin ?? 'caddy' },
    );
    ports = [fleet.stack.httpsPort, fleet.other('two').httpsPort];
    // Each Caddy would ask the same authority, which notes it.
    const { httpPort, httpsPort } = fleet.stack;
    for (const [path, http, https] of [
      ['/preamble', httpPort, httpsPort],
      ['/preamble?agent=two', fleet.other('two').httpPort, fleet.other('two').httpsPort],
    ] as const) {
      const options = [`http_port ${http}`, `https_port ${https}`, 'skip_install_trust'];
      const authority = [`acme_ca ${acme.directory}`, `acme_ca_root ${acme.roots}`];
      const config = `{\n${[...options, ...authority].join('\n')}\n}`;
      expect((await fleet.call('PUT', path, { config })).status).toBe(200);
    }
  });
  afterAll(async () => {
    await fleet.stop();
    await acme.stop();
  });

  const kept = (method: string, path = '', json?: object) =>
    fleet.call<Kept>(method, `/certificates/kept${path}`, json);
  const serials = () =>
    Promise.all(ports.map(async (port) => (await presented(port, SITE)).toLowerCase()));
  const served = (serial: string, where = ports) =>
    until(async () => {
      const all = await Promise.all(where.map((port) => presented(port, SITE)));
      return all.every((one) => one.toLowerCase() === serial);
    }, `the certificate ${serial}`);

  test(`is served by ${CADDYS.map(({ bin }) => versionOf(bin)).join(' and ')} with one serial, and no Caddy asks`, async () => {
    const order = { names: ['*.home.example'], email: 'ada@home.example', dns: acme.dns.spec };
    const made = await kept('POST', '', { name: 'home', ...order });
    expect([made.status, made.text]).toEqual([201, expect.any(String)]);
    const site = { domain: SITE, config: 'respond app' };
    expect((await fleet.call('POST', '/vhosts', site)).status).toBe(201);
    await served(made.body.serial);
    expect([acme.logged(NEW_ACCOUNT), acme.logged(NEW_ORDER)]).toEqual([1, 1]);
  });

  test(
    `fails no handshake while it is renewed, replaced ${UPLOADS} times and undone`,
    async () => {
      const { certificate: chain, key } = await selfSigned(['*.home.example'], 864_000);
      const before = await serials();
      const end = visits(ports);
      const renewed = await kept('POST', '/home/renew');
      expect([renewed.status, renewed.body.behind]).toEqual([200, undefined]);
      expect(await serials()).toEqual(ports.map(() => renewed.body.serial));
      const known = new Set([...before, renewed.body.serial]);
      for (let at = 0; at < UPLOADS; at++) {
        const put = await kept('PUT', '/home', { chain, key });
        expect([put.status, put.text]).toEqual([200, expect.any(String)]);
        known.add(put.body.serial);
        const [entry] = (await fleet.call<{ id: number }[]>('GET', '/changelog')).body;
        expect((await fleet.call('POST', `/changelog/${entry?.id}/revert`)).status).toBe(200);
        expect(await serials()).toEqual(ports.map(() => renewed.body.serial));
      }
      const { asked, resets, shown } = await end();
      console.log(`${asked} connections, ${resets} reset before a handshake`);
      expect([...shown.keys()].toSorted()).toEqual([...known].toSorted());
    },
    limit(120_000),
  );

  test('reaches an agent that was stopped meanwhile once it is back', async () => {
    const two = fleet.other('two');
    await two.stopOnly();
    await fleet.untilState('two', 'unreachable');
    const { certificate: chain, key } = await selfSigned(['*.home.example'], 864_000);
    const put = await kept('PUT', '/home', { chain, key });
    expect([put.status, put.body.behind]).toEqual([200, ['two']]);
    await served(put.body.serial, ports.slice(0, 1));
    await two.restart();
    await fleet.untilState('two', 'in-step');
    await served(put.body.serial);
  });

  test('without it, both Caddys do ask the authority', async () => {
    const before = acme.logged(NEW_ACCOUNT);
    expect((await kept('DELETE', '/home?force=true')).status).toBe(200);
    await until(() => acme.logged(NEW_ACCOUNT) >= before + 2, 'both Caddys at the authority');
    expect(acme.logged(NEW_ACCOUNT)).toBe(before + 2);
  });
});

/** Opens connections to all ports in turn, `RATE` a second, whether or not the earlier ones are open yet. */
function visits(ports: readonly number[]) {
  /** How many connections each serial was shown on; or what failed. */
  const shown = new Map<string, number>();
  const under = new Set<Promise<unknown>>();
  const from = performance.now();
  let asked = 0;
  let resets = 0;

  async function visit(port: number): Promise<string> {
    const answer = await presented(port, SITE);
    // Before any handshake, as Caddy closes that listener (docs/limits.md): clients connect again.
    if (answer !== 'ECONNRESET') return answer.toLowerCase();
    resets++;
    return visit(port);
  }
  const begin = (port: number) => {
    const one = visit(port).then((answer) => {
      under.delete(one);
      shown.set(answer, (shown.get(answer) ?? 0) + 1);
    });
    under.add(one);
  };
  const timer = setInterval(() => {
    for (; asked < ((performance.now() - from) * RATE) / 1_000; asked++) {
      begin(ports[asked % ports.length] as number);
    }
  }, 5);
  return async () => {
    clearInterval(timer);
    await Promise.all(under);
    return { asked, resets, shown };
  };
}
