// proof: podman
/** Whatever labels say: other sites stay as they are, and Caddy answers to no host that labels may not name. */
import { afterAll, expect, test } from 'bun:test';
import { type AdaptCaddy, type AdaptedJson, startAdaptCaddy } from '../../harness/adapt-caddy.ts';
import { allCaddys } from '../../harness/caddys.ts';
import { forFile, serverForFile } from '../../harness/for-file.ts';
import { some } from '../../harness/full.ts';
import fc from '../../harness/generated.ts';
import { startOwner } from '../../harness/owner.ts';
import { USUAL } from '../../harness/pace.ts';
import { type Given, labelled, scriptedEngine } from '../../harness/scripted-engine.ts';
import { limit } from '../../harness/speed.ts';
import { until } from '../../harness/stack.ts';
import { words } from '../../harness/words.ts';

const BATCH = 20;
const CONTAINERS = some(20, 1_000, 'HOSTILE_CONTAINERS');
const SEED = Number(process.env.HOSTILE_SEED ?? 20261123);

type Site = { domain: string; source: string | null; policies: unknown[]; tags: string[] };
type Container = { name: string; site: { id: number } | null; reason: string | null };

const engine = scriptedEngine();
const upstream = serverForFile(() => new Response('app'));
const caddys: AdaptCaddy[] = [];
const owner = await forFile(
  startOwner(
    { DOCKER_SOCKET: engine.socket, DOCKER_LABELS: 'all', DOCKER_DOMAINS: '*.home.example' },
    undefined,
    { ...USUAL, hub: { ...USUAL.hub, own: { ...USUAL.hub.own, containers: { gone: 100 } } } },
  ),
);
for (const { bin } of allCaddys()) caddys.push(await startAdaptCaddy({}, bin));
afterAll(async () => {
  for (const caddy of caddys) await caddy.stop();
  await engine.end();
});

const sites = async () => (await owner.call<Site[]>('GET', '/vhosts')).body;
const containers = async () => (await owner.call<Container[]>('GET', '/containers')).body;

/** Of the Caddyfile, all that no container keeps. */
const others = () => {
  const file = owner.stack.readProxyfile();
  const block = (name: string) =>
    new RegExp(`^http://${name}\\.example.*?^}`, 'ms').exec(file)?.[0] ?? null;
  return [/^\{.*?^\}/ms.exec(file)?.[0] ?? null, block('hand'), block('file')];
};

/** Every host that a server answers to; `ANY`, if it is not bound to one. */
function hostsIn({ apps }: AdaptedJson): string[] {
  const routes = Object.values(apps?.http?.servers ?? {}).flatMap((server) => server.routes ?? []);
  return routes.flatMap(({ match }) =>
    (match ?? [{}]).flatMap((one) => (one.host as string[] | undefined) ?? ['ANY']),
  );
}

const isAllowed = (host: string): boolean =>
  ['hand.example', 'file.example'].includes(host) || /^[^.]+\.home\.example$/.test(host);

async function assertContained(before: unknown): Promise<void> {
  expect(others()).toEqual(before as ReturnType<typeof others>);
  for (const caddy of caddys) {
    const adapted = await caddy.adapt(owner.stack.readProxyfile());
    // The running Caddy accepted it; another one may lack what a label uses.
    if (!adapted.ok) continue;
    const hosts = hostsIn(adapted.json);
    expect(hosts).toContain('hand.example');
    expect(hosts.filter((host) => !isAllowed(host))).toEqual([]);
  }
}

/** Until each is a site, or it is known why not. */
const judged = (names: readonly string[]) =>
  until(
    async () => {
      const all = await containers();
      return (
        all.length === names.length &&
        all.every(({ name, site, reason }) => names.includes(name) && (site || reason)) &&
        all
      );
    },
    'a verdict on all',
    60_000,
  );

const word = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...words(`
        {upstream} http://a.home.example:81 http://evil.example evil.example http://hand.example
        :80 :81 { } , " # {$HOME} {args[0]} (x) &(x) :// * *.home.example
      `),
      'respond x',
      'respond evil',
      'reverse_proxy {upstream}',
      '\n',
      ' ',
      '\t',
      '`',
      '\\',
      '\r',
      '<<X\n',
      '\nX',
      'import *',
      '@m host evil.example',
      'handle {',
      'route {',
      'bind 0.0.0.0',
      'redir / /x',
      '\u0000',
      '\u2028',
      '\ufeff',
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
);
const text = fc.array(word, { maxLength: 7 }).map((words) => words.join(''));
const most = (weight: number, good: string) =>
  fc.oneof({ weight, arbitrary: fc.constant(good) }, { weight: 1, arbitrary: text });

/** Each label is often right, so that the others matter. */
const labelsOfOne = fc.record(
  {
    domain: fc.oneof(
      ...[
        'http://a.home.example:81',
        'http://b.home.example',
        'http://b.home.example, http://c.home.example',
      ].map((good) => most(6, good)),
    ),
    config: most(1, 'respond ok'),
    upstream: fc.oneof(most(4, 'http://a.home.example:81'), most(4, 'a.home.example:81')),
    port: most(8, '80'),
    policies: most(8, ''),
    tags: most(4, 'x'),
    check: most(8, ''),
    '1.domain': most(6, 'http://d.home.example'),
    '1.config': most(1, 'respond ok'),
  },
  { requiredKeys: ['domain'] },
);

test(
  `${CONTAINERS} containers with generated labels change nothing else (seed ${SEED})`,
  async () => {
    await owner.create('hand');
    await owner.call('POST', '/apply', {
      source: 'file',
      sites: { 'http://file.example': { config: 'respond file' } },
    });
    const before = others();
    expect(before.slice(1)).toEqual([
      expect.stringContaining('respond hand'),
      expect.stringContaining('respond file'),
    ]);
    const escaping = labelled(upstream.port ?? 0, {
      domain: 'http://a.home.example:81',
      upstream: 'http://a.home.example:81',
      config: '{upstream}, http://evil.example {\nrespond evil\n}',
    });
    const generated = fc
      .sample(labelsOfOne, { numRuns: CONTAINERS, seed: SEED })
      .map((labels) => labelled(upstream.port ?? 0, labels as Record<string, string>));
    const all = [escaping, ...generated];
    let made = 0;
    for (let at = 0; at < all.length; at += BATCH) {
      const batch = all.slice(at, at + BATCH);
      // Most ask for the same few names: each gets one of its own.
      const named = batch.map((one, index): [string, Given] => {
        const labels = Object.entries(one.labels as Record<string, string>).map(
          ([key, value]) => [key, value.replace(/\b([abcd])\.home/g, `$1${index}.home`)] as const,
        );
        return [`c${at}-${index}`, { ...one, labels: Object.fromEntries(labels) }];
      });
      const good = labelled(upstream.port ?? 0, { domain: `http://good${at}.home.example` });
      const now = {
        ...Object.fromEntries(named),
        [`good${at}`]: { ...good, startedAt: '2020-01-01T00:00:00Z' },
      };
      engine.change(now);
      await judged(Object.keys(now));
      await assertContained(before);
      expect((await owner.stack.served(`good${at}.home.example`)).text).toBe('app');
      expect((await owner.stack.served('evil.example')).text).toBe('');
      expect(await owner.served('hand')).toBe('hand');
      const kept = (await sites()).filter(({ source }) => source === 'containers/local');
      made += kept.length;
      expect(kept.every(({ policies, tags }) => policies.length === 0 && tags.length <= 20)).toBe(
        true,
      );
    }
    console.log(`${all.length} containers, seed ${SEED}: ${made} sites`);
    expect(made).toBeGreaterThan(CONTAINERS / 5);
  },
  limit(60_000 + CONTAINERS * 1_500),
);
