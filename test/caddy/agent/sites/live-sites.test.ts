import { describe, expect, test } from 'bun:test';
import { covers, type LiveSite, liveSites } from '../../../../agent/sites/live-sites.ts';
import type { Json } from '../../../../src/shared/json.ts';
import { startAdaptCaddy } from '../../../harness/adapt-caddy.ts';
import { forFile } from '../../../harness/for-file.ts';
import { words } from '../../../harness/words.ts';

const caddy = await forFile(startAdaptCaddy());
async function sitesOf(text: string): Promise<LiveSite[]> {
  const adapted = await caddy.adapt(text);
  if (!adapted.ok) throw new Error(adapted.error);
  return liveSites(JSON.parse(adapted.text) as Json);
}
/** `name ports tls`, for comparison. */
const brief = (sites: LiveSite[]) =>
  sites.map(({ name, ports, tls }) => `${name} ${ports.join()} ${tls !== null}`).sort();

describe('the sites of a live configuration', () => {
  test.each<[string, Json]>([
    ['nothing', null],
    ['no apps', {}],
    ['odd shapes', { apps: { http: { servers: { a: null, b: { routes: 7, listen: [3] } } } } }],
  ])('of %s', (_, config) => {
    expect(liveSites(config)).toEqual([]);
  });

  test('with thousands of names and policies are found without trying each policy for each name', () => {
    let read = 0;
    const names = Array.from({ length: 5_000 }, (_, at) => `site-${at}.example`);
    const config = {
      apps: {
        http: {
          servers: {
            srv0: {
              listen: [':443'],
              routes: names.map((host) => ({ match: [{ host: [host] }] })),
              tls_connection_policies: [
                ...names.map((sni) => ({
                  get match() {
                    read++;
                    return { sni: [sni] };
                  },
                  certificate_selection: {},
                })),
                {},
              ],
            },
          },
        },
        tls: { automation: { policies: [{ subjects: names }, { on_demand: true }] } },
      },
    };
    const sites = liveSites(config);
    expect(read).toBeGreaterThanOrEqual(names.length);
    expect(read).toBeLessThan(10 * names.length);
    expect(sites.map(({ tls }) => tls?.automated)).toEqual(names.map(() => false));
    expect(sites.map(({ tls }) => tls?.onDemand)).toEqual(names.map(() => false));
  });

  test('are kept only if a certificate of the hub is what Caddy presents', () => {
    const [keep, none] = [{ any_tag: ['signalbox-1'] }, { any_tag: ['signalbox-none'] }];
    const names = words('a.lan.test own.lan.test late.lan.test file.lan.test x.test y.test');
    const policies = [
      { match: { sni: ['late.lan.test'] }, certificate_selection: none },
      { match: { sni: ['file.lan.test'] }, certificate_selection: { any_tag: ['cert0'] } },
      { match: { sni: ['x.test'] }, certificate_selection: keep },
      {},
    ];
    const routes = [{ match: [{ host: names }] }];
    const sites = liveSites({
      apps: {
        http: { servers: { a: { listen: [':443'], routes, tls_connection_policies: policies } } },
        tls: {
          certificates: {
            load_pem: [{ tags: ['signalbox-1', '*.lan.test', 'x.test'] }, { tags: ['y.test'] }],
            automate: ['own.lan.test', 'x.test'],
          },
          automation: {
            policies: [{ subjects: ['a.lan.test', 'late.lan.test'], on_demand: true }],
          },
        },
      },
    });
    const facts = sites.map(({ name, tls }) => [name, tls?.kept, tls?.automated, tls?.onDemand]);
    expect(facts).toEqual([
      ['a.lan.test', true, false, false],
      ['own.lan.test', false, true, false],
      ['late.lan.test', false, true, true],
      ['file.lan.test', false, false, false],
      ['x.test', true, false, false],
      ['y.test', false, true, false],
    ]);
  });

  test('use the first policy that covers their name', () => {
    const hosts = ['a.wild.example', 'b.wild.example', 'own.example', 'other.example'];
    const sites = liveSites({
      apps: {
        http: { servers: { srv0: { listen: [':443'], routes: [{ match: [{ host: hosts }] }] } } },
        tls: {
          automation: {
            policies: [
              { subjects: ['A.wild.example'] },
              { subjects: ['*.wild.example', 'own.example'], on_demand: true },
              { subjects: ['own.example', 'b.wild.example'] },
              {},
              { subjects: ['other.example'], on_demand: true },
            ],
          },
        },
      },
    });
    expect(sites.map(({ tls }) => tls?.onDemand)).toEqual([false, true, true, false]);
  });

  test('have TLS if Caddy serves them over it', async () => {
    const text = [
      '{\n\thttp_port 8080\n\thttps_port 8443\n}',
      'A.example, http://b.example {\n\trespond 1\n}',
      'c.example:9000, bücher.example {\n\trespond 2\n}',
      'http://d.example:9001 {\n\trespond 3\n}',
      ':9002 {\n\trespond 4\n}',
      'http://[::1] {\n\trespond 5\n}',
    ].join('\n');
    expect(brief(await sitesOf(text))).toEqual([
      ' 9002 false',
      '::1 8080 false',
      'a.example 8443 true',
      'b.example 8080 false',
      'c.example 9000 true',
      'd.example 9001 false',
      'xn--bcher-kva.example 8443 true',
    ]);
  });

  test('have TLS with auto_https off too, if the Caddyfile asks for it', async () => {
    const sites = await sitesOf(
      '{\n\tauto_https off\n}\na.example:9000, http://b.example {\n\trespond 1\n}',
    );
    expect(brief(sites)).toEqual(['a.example 9000 true', 'b.example 80 false']);
  });

  test('say where their certificates come from', async () => {
    const sites = await sitesOf(
      [
        'own.example {\n\ttls /x/cert.pem /x/key.pem\n}',
        'auto.example {\n\trespond 1\n}',
        'demand.example {\n\ttls internal {\n\t\ton_demand\n\t}\n}',
        '*.wild.example {\n\ttls internal {\n\t\ton_demand\n\t}\n}',
      ].join('\n'),
    );
    const found = Object.fromEntries(
      sites.map(({ name, tls }) => [name, [tls?.automated, tls?.onDemand]]),
    );
    expect(found).toEqual({
      'own.example': [false, false],
      'auto.example': [true, false],
      'demand.example': [true, true],
      '*.wild.example': [true, true],
    });
  });

  test('list the upstreams of all their routes, and whether Caddy checks them', async () => {
    const [site, ...others] = await sitesOf(
      [
        'http://a.example {',
        '\thandle /x {\n\t\treverse_proxy one:1 {\n\t\t\thealth_uri /\n\t\t}\n\t}',
        '\treverse_proxy two:2 unix//run/three {\n\t\tfail_duration 1s\n\t}',
        '}',
        'http://a.example/path {\n\treverse_proxy four:4\n}',
      ].join('\n'),
    );
    expect(others).toEqual([]);
    expect(site?.upstreams.toSorted((a, b) => (a.address < b.address ? -1 : 1))).toMatchObject([
      { address: 'four:4', checked: false },
      { address: 'one:1', checked: true },
      { address: 'two:2', checked: true },
      { address: 'unix//run/three', checked: true },
    ]);
  });
});

test.each<[string, string, boolean]>([
  ['a.example', 'a.example', true],
  ['*.example', 'a.example', true],
  ['*.example', 'a.b.example', false],
  ['*.example', 'example', false],
  ['*.*.example', 'a.b.example', true],
  ['A.Example', 'a.example', true],
])('%s covers %s: %p', (pattern, name, expected) => {
  expect(covers(pattern, name)).toBe(expected);
});
