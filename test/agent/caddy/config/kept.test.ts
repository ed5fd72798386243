/** Which certificate each site is served with, by each Caddy, over one load after another. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { X509Certificate } from 'node:crypto';
import { dirname, join } from 'node:path';
import { withKept } from '../../../../agent/caddy/config/kept.ts';
import { field } from '../../../../src/shared/json.ts';
import { allCaddys, versionOf } from '../../../harness/caddys.ts';
import { type Chain, makeChain, makeIssuer } from '../../../harness/certificate.ts';
import { forAllTests } from '../../../harness/for-tests.ts';
import { siteOf, startLoneAgent } from '../../../harness/lone-agent.ts';
import { startRefusingAcme } from '../../../harness/refusing-acme.ts';
import { ask, until } from '../../../harness/stack.ts';

const LAN = 'lan.example.org';
const at = (name: string) => `${name}.${LAN}`;

let chainOf: (days: number, ...names: string[]) => Promise<Chain>;
beforeAll(async () => {
  const issuer = await makeIssuer();
  chainOf = (days, ...names) => makeChain({ names: names.map(at), days, issuer });
});

/** It signs itself, and is its own issuer, so that Caddy could ask. */
function withResponder(url: string): Chain {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', '-'];
  const names = ['-subj', `/CN=${at('a')}`, '-addext', `subjectAltName=DNS:${at('a')}`];
  const access = ['-addext', `authorityInfoAccess=OCSP;URI:${url}`];
  const made = Bun.spawnSync([
    'openssl',
    'req',
    '-x509',
    '-days',
    '9',
    ...key,
    ...names,
    ...access,
  ]);
  const [pem = ''] = /-----BEGIN CERT.*/s.exec(made.stdout.toString()) ?? [];
  const { serialNumber: serial } = new X509Certificate(pem);
  return {
    names: [at('a')],
    chain: pem + pem,
    key: made.stdout.toString().replace(pem, ''),
    serial,
  };
}

describe.each(allCaddys())('$name', ({ bin }) => {
  const acme = startRefusingAcme();
  const agent = forAllTests(() =>
    startLoneAgent((beside) => ({ PROXY_BIN: bin, IMPORT_DIRS: beside })),
  );
  afterAll(() => acme.stop());

  /** Makes sites live, and waits until each name is served so. */
  async function expectServed(
    chains: readonly Chain[],
    sites: string,
    expected: Record<string, Chain | string>,
    options: string[] = [],
  ): Promise<void> {
    const { status, text } = await agent.reload(agent.text(chains, sites, options), chains);
    expect([status, text]).toEqual([200, expect.any(String)]);
    const wanted = Object.entries(expected).map(
      ([name, one]) => [name, typeof one === 'string' ? one : one.serial] as const,
    );
    const serve = () =>
      Promise.all(wanted.map(async ([name]) => [name, await agent.presented(at(name))] as const));
    const last = { served: await serve() };
    await until(
      async () => {
        last.served = await serve();
        return Bun.deepEquals(last.served, wanted);
      },
      'the certificates',
      5_000,
    ).catch(() => undefined);
    expect(Object.fromEntries(last.served)).toEqual(Object.fromEntries(wanted));
  }

  test('a wildcard serves every site below it, and no authority is asked', async () => {
    const wild = await chainOf(60, '*');
    const sites = ['a', 'b', '*'].map((name) => siteOf(at(name))).join('');
    const ca = `acme_ca ${acme.directory}`;
    await expectServed([wild], sites, { a: wild, b: wild, any: wild }, [ca]);
    expect(acme.orders).toEqual([]);
    // Without it, this very Caddy asks.
    const other = `${sites}${siteOf('deeper.a.lan.example.org')}`;
    expect((await agent.reload(agent.text([wild], other, [ca]), [wild])).status).toBe(200);
    await until(() => acme.orders.length > 0, 'an order');
    expect(acme.orders.length).toBeGreaterThan(0);
  });

  describe('of two for one name, the one that ends later is served', () => {
    const sites = siteOf(at('a')) + siteOf(at('b')) + siteOf(at('c'));

    test('if it comes second, first, replaces the other, or goes', async () => {
      const [early, middle, late] = await Promise.all(
        [30, 60, 90].map((days) => chainOf(days, '*')),
      );
      if (!early || !middle || !late) throw new Error('no chains');
      for (const [chains, served] of [
        [[middle], middle],
        [[late, middle], late],
        [[middle], middle],
        [[middle, early], middle],
        [[late, middle, early], late],
        [[early], early],
        [[middle], middle],
      ] as const) {
        await expectServed(chains, sites, { a: served, b: served });
      }
    });

    test('if they share some of their names only', async () => {
      const [early, late] = [await chainOf(60, 'a', 'b'), await chainOf(90, 'b', 'c')];
      await expectServed([early], siteOf(at('a')) + siteOf(at('b')), { a: early, b: early });
      await expectServed([late, early], sites, { a: early, b: late, c: late });
      const wilds = [await chainOf(120, '*', 'x'), await chainOf(100, '*', 'y')] as const;
      await expectServed([wilds[1]], sites, { a: wilds[1], b: wilds[1] });
      await expectServed(wilds, `${sites}${siteOf(at('*'))}`, { a: wilds[0], any: wilds[0] });
      // The very name is closer than a wildcard.
      await expectServed([wilds[0], late], sites, { a: wilds[0], b: late, c: late });
    });
  });

  describe('beside a site for any name over HTTP', () => {
    const ANY = 'http:// {\n\trespond "any" 404\n}\n';
    const visit = async (name: string) => {
      const url = `http://127.0.0.1:${agent.httpPort}/x?y=1`;
      const { status, headers } = await ask(url, { headers: { Host: name } });
      return [status, headers.get('location')];
    };
    const load = async (sites: string, options: string[] = []) => {
      const wild = await chainOf(60, '*', 'other');
      const { status } = await agent.reload(agent.text([wild], sites, options), [wild]);
      expect(status).toBe(200);
    };

    test('what is plain HTTP, or not to be redirected, is not', async () => {
      const plain = siteOf(`http://${at('a')}`);
      await load(ANY + siteOf(at('a')) + plain + siteOf(at('b')));
      expect(await visit(at('a'))).toEqual([200, null]);
      expect(await visit('stranger.example')).toEqual([404, null]);
      await load(ANY + siteOf(at('b')), ['auto_https disable_redirects']);
      expect(await visit(at('b'))).toEqual([404, null]);
    });

    test('a site with a kept certificate still redirects to HTTPS', async () => {
      await load(`${ANY}${siteOf(at('a'))}${siteOf(`${at('c')}:${agent.httpsPort + 1}`)}`);
      const https = (name: string) => `https://${at(name)}:${agent.httpsPort}/x?y=1`;
      expect(await visit(at('a'))).toEqual([308, https('a').replace(`:${agent.httpsPort}`, '')]);
      expect((await visit(at('c')))[1]).toBe(`https://${at('c')}:${agent.httpsPort + 1}/x?y=1`);
      expect(await visit('stranger.example')).toEqual([404, null]);
    });
  });

  test('a load that Caddy refuses leaves what was served', async () => {
    const [before, later] = [await chainOf(60, '*'), await chainOf(90, '*')];
    await expectServed([before], siteOf(at('a')), { a: before });
    // Only the load finds out what is wrong.
    const wrong = siteOf(at('a'), '@x path_regexp (', 'respond @x 1');
    const probe = agent.text([later], siteOf(at('a')));
    const refused = await agent.reload(agent.text([later], wrong), [later], { probe });
    expect([refused.status, refused.body.code]).toEqual([502, 'PROXY_REJECTED']);
    expect(refused.text).not.toContain('PRIVATE');
    expect(await agent.presented(at('a'))).toBe(before.serial);
    await expectServed([later], siteOf(at('a')), { a: later });
  });

  describe('a site with a tls of its own', () => {
    const issuer = () => ['tls {', `issuer acme ${acme.directory}`, '}'];

    test.each<[string, string[]]>([
      ['tls internal', []],
      ['tls internal', ['email ada@example.org']],
      ['tls internal', ['local_certs']],
      ['import own', []],
      ['tls {\n\t\tissuer internal {\n\t\t\tlifetime 10h\n\t\t}\n\t}', ['local_certs']],
    ])('is left alone: %s, with %j', async (config, options) => {
      const wild = await chainOf(60, '*');
      const snippet = '(issue) {\n\ttls {args.0}\n}\n(own) {\n\timport issue internal\n}\n';
      const sites = siteOf(at('a')) + siteOf(at('own'), config);
      const text = config === 'import own' ? snippet + sites : sites;
      await expectServed([wild], siteOf(at('a')) + siteOf(at('own')), { own: wild }, options);
      await expectServed([wild], text, { a: wild, own: 'Caddy' }, options);
      // Its certificate comes from Caddy's storage again: the wildcard must not come back.
      await expectServed([await chainOf(70, '*')], text, { own: 'Caddy' }, options);
    });

    test('is told from one that only imported options concern', async () => {
      const beside = dirname(agent.proxyfile);
      await Bun.write(join(beside, 'options'), 'email ada@example.org\n');
      const wild = await chainOf(60, '*');
      const sites = siteOf(at('a')) + siteOf(at('own'), 'tls internal');
      await expectServed([wild], sites, { a: wild, own: 'Caddy' }, [`import ${beside}/options`]);
      const { body } = await agent.get<{ sites: object[] }>('/proxy/certificates');
      expect(body.sites).toMatchObject([
        { name: at('own'), kept: false, automated: true, authority: 'internal' },
        { name: at('a'), kept: true, automated: false, authority: null },
      ]);
    });

    test('is told from the site that it is compared with, whatever the others are called', async () => {
      const wild = await chainOf(60, '*');
      const sites = siteOf(at('a')) + siteOf(at('own'), 'tls internal');
      const text = sites + siteOf('signalbox.example.org', 'tls internal');
      await expectServed([wild], text, { a: wild, own: 'Caddy' });
    });

    test('wins beside a wildcard site and one of the domain itself', async () => {
      const wild = await chainOf(60, '*');
      const sites = ['nas', '*'].map((name) => siteOf(at(name))).join('') + siteOf(LAN);
      const own = siteOf(at('int'), 'tls internal');
      await expectServed([wild], sites + own, { nas: wild, int: 'Caddy', any: wild });
    });

    test('asks the authority that it names', async () => {
      const wild = await chainOf(60, '*');
      const before = acme.orders.length;
      const sites = siteOf(at('a')) + siteOf(at('own'), ...issuer());
      // Until that has signed, the wildcard is better than nothing.
      await expectServed([wild], sites, { a: wild, own: wild });
      await until(() => acme.orders.length > before, 'an order');
    });

    test('is left alone where a kept certificate has its very name and nobody else needs it', async () => {
      const [own, both] = [await chainOf(60, 'own'), await chainOf(90, 'own', 'a')];
      const sites = siteOf(at('own'), 'tls internal');
      await expectServed([own], siteOf(at('own')), { own });
      await expectServed([own], sites, { own: 'Caddy' });
      await expectServed([both], sites, { own: 'Caddy' });
      // See docs/limits.md.
      await expectServed([both], sites + siteOf(at('a')), { own: both, a: both });
      await expectServed([both], sites, { own: 'Caddy' });
    });

    test('is left alone if it is a wildcard itself', async () => {
      const wild = await chainOf(60, '*');
      await expectServed([wild], siteOf(at('*')), { any: wild });
      await expectServed([wild], siteOf(at('*'), 'tls internal'), { any: 'Caddy' });
    });

    test('is served with its files', async () => {
      const [wild, own] = [await chainOf(60, '*'), await chainOf(10, 'own')];
      const [chain, key] = [`${agent.folder}/own.pem`, `${agent.folder}/own.key`];
      await Promise.all([Bun.write(chain, own.chain), Bun.write(key, own.key)]);
      const sites = siteOf(at('a')) + siteOf(at('own'), `tls ${chain} ${key}`);
      await expectServed([wild], sites, { a: wild, own });
      // Nor does the site's wildcard serve its neighbours.
      const other = await chainOf(20, '*');
      await Promise.all([Bun.write(chain, other.chain), Bun.write(key, other.key)]);
      const three = siteOf(at('b')) + sites;
      await expectServed([], three, { own: other });
      await expectServed([wild], three, { a: wild, b: wild, own: other });
    });

    test('gets its certificate on demand', async () => {
      const asked = Bun.serve({ port: 0, fetch: () => new Response() });
      const [wild, exact] = [await chainOf(60, '*'), await chainOf(60, 'own', 'a')];
      const ask = [`on_demand_tls {\n\t\task http://127.0.0.1:${asked.port}/\n\t}`];
      const lines = ['tls {', 'issuer internal', 'on_demand', '}'];
      const sites = siteOf(at('a')) + siteOf(at('own'), ...lines);
      await expectServed([wild], sites, { a: wild, own: 'Caddy' }, ask);
      await expectServed([exact, wild], sites, { a: exact, own: 'Caddy' }, ask);
      asked.stop(true);
    });
  });

  test('a tls that says nothing of certificates changes nothing', async () => {
    const wild = await chainOf(60, '*');
    const sites = siteOf(at('a'), 'tls {', 'protocols tls1.3', '}') + siteOf(at('b'));
    await expectServed([wild], sites, { a: wild, b: wild }, ['email ada@example.org']);
  });

  test('a server that never says whether one is revoked does not hold up a publish', async () => {
    const sockets = new Set<{ end(): void }>();
    const socket = { open: (one: { end(): void }) => void sockets.add(one), data() {} };
    const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket });
    const chain = withResponder(`http://127.0.0.1:${silent.port}/`);
    await expectServed([chain], siteOf(at('a')), { a: chain });
    expect(sockets.size).toBe(0);
    silent.stop(true);
  });

  test('names that no public authority signs are served whatever the global options say', async () => {
    const issuer = await makeIssuer();
    const names = ['*.home.arpa', '*.home.internal', '*.lan', '*.fritz.box'];
    const chain = await makeChain({ names, days: 60, issuer });
    const sites = names.map((name) => siteOf(name.replace('*', 'nas'))).join('');
    for (const options of [
      [],
      ['email ada@example.org'],
      [`acme_ca ${acme.directory}`],
      ['local_certs'],
    ]) {
      const { status } = await agent.reload(agent.text([chain], sites, options), [chain]);
      expect(status).toBe(200);
      for (const name of names) {
        const isServed = async () =>
          (await agent.presented(name.replace('*', 'nas'))) === chain.serial;
        await until(isServed, `the certificate for ${name} with ${options}`);
      }
    }
  });

  test('a choice for a wildcard leaves the connections of its neighbours as they are', async () => {
    const wilds = [await chainOf(120, '*', 'x'), await chainOf(100, '*', 'y')] as const;
    const sites = siteOf(at('*')) + siteOf(at('own'), 'tls internal');
    await expectServed([wilds[1]], sites, { any: wilds[1], own: 'Caddy' });
    await expectServed(wilds, sites, { any: wilds[0], own: 'Caddy' });
    // Caddy 2.6 asks for the certificate of a neighbour that is beside these two as for the wildcard's.
    const closed = siteOf(at('closed'), 'tls {', 'client_auth {', 'mode require', '}', '}');
    await expectServed(wilds, siteOf(at('*')) + closed, { any: wilds[0] });
    const visit = (host: string) =>
      fetch(`https://127.0.0.1:${agent.httpsPort}/`, {
        headers: { Host: host },
        keepalive: false,
        tls: { rejectUnauthorized: false, serverName: host },
      }).then(
        (answer) => answer.status,
        () => 0,
      );
    expect([await visit(at('any')), await visit(at('closed'))]).toEqual([200, 0]);
  });
});

test('what a later one replaces is not given to Caddy, and the rest of a configuration stays', async () => {
  const [early, late] = [await chainOf(60, 'a', '*'), await chainOf(90, '*', 'b', 'a')];
  const certificates = [late, early].map((one) => ({
    ...one,
    hasResponder: false,
    digest: one.serial,
  }));
  const own = new Map();
  const servers = { srv0: { listen: [':443'], routes: [{ match: [{ host: [at('a')] }] }] } };
  const config = {
    admin: { disabled: true },
    apps: { http: { servers, http_port: 8 }, tls: { certificates: { load_files: [] } } },
  };
  const before = structuredClone(config);
  const { apps, ...rest } = withKept(config, { certificates, own });
  expect(config).toEqual(before);
  expect(rest).toEqual({ admin: { disabled: true } });
  expect(field(apps, 'tls', 'certificates', 'load_pem')).toEqual([
    { certificate: late.chain, key: late.key, tags: [`signalbox-${late.serial}`, ...late.names] },
  ]);
  const plain = { apps: { http: { servers } } };
  const { apps: kept } = withKept(plain, { certificates, own });
  expect(field(kept, 'http')).toEqual({ servers });
  for (const none of [{}, { apps: {} }, { apps: { http: {} } }, { apps: { tls: {} } }]) {
    expect(withKept(none, { certificates, own })).toBe(none);
  }
  expect(withKept(plain, { certificates: [], own })).toBe(plain);
});

test('a server for plain HTTP is left alone', async () => {
  const [one, other] = [await chainOf(60, 'a', 'b'), await chainOf(90, 'a', 'c')];
  const certificates = [other, one].map((chain) => ({
    ...chain,
    hasResponder: false,
    digest: chain.serial,
  }));
  const routes = [{ match: [{ host: [at('a')] }] }];
  const servers = { plain: { listen: [':80'], routes }, secure: { listen: [':443'], routes } };
  const { apps } = withKept({ apps: { http: { servers } } }, { certificates, own: new Map() });
  expect(field(apps, 'http', 'servers', 'plain')).toEqual(servers.plain);
  expect(field(apps, 'http', 'servers', 'secure', 'tls_connection_policies')).toEqual([
    {
      match: { sni: [at('a')] },
      certificate_selection: { any_tag: [`signalbox-${other.serial}`] },
    },
    {},
  ]);
});

test('are told apart by their versions', () => {
  expect(new Set(allCaddys().map(({ bin }) => versionOf(bin))).size).toBe(allCaddys().length);
});
