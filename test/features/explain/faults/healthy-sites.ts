/** Sites that work, chosen at random: of every recipe, with any of the policies that let visitors in. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../../harness/random.ts';
import { expectStatus, type House } from '../house.ts';
import { KINDS, startHealthy, startHealthyTls, startSignIn } from '../services/healthy.ts';
import type { Site } from './fault.ts';

type Named = { name: string; site: Site };

/** @returns makes the site of a number, which decides about its recipe, so that each recipe comes up */
export async function healthySites({ owner, place, add }: House, { below, pick }: Random) {
  const { stops, folder, httpPort } = place;
  const upstreams = Object.fromEntries(KINDS.map((kind) => [kind, startHealthy(stops, kind)]));
  const plain = upstreams['answers 200'] ?? '';
  const secure = await startHealthyTls(stops);
  const files = join(folder, 'files');
  mkdirSync(files);
  writeFileSync(join(files, 'index.html'), 'welcome');
  const inner = await add({ domain: 'http://inner.example', config: 'respond inner' });

  const render = async (recipe: string, values: object): Promise<string> => {
    const path = `/recipes/${recipe}/render`;
    return (await expectStatus<{ config: string }>(owner, 200, 'POST', path, { values })).config;
  };

  const policies = {
    allow: await place.policy('allow', { networks: ['private_ranges'] }),
    'other networks': await place.policy('allow', { networks: ['10.77.0.0/16'] }),
    block: await place.policy('block', { networks: ['203.0.113.7'] }),
    'signed in': await place.policy('forward-auth', signIn(startSignIn(stops, true))),
    'sent to sign in': await place.policy('authelia', { address: startSignIn(stops, false) }),
    headers: await place.policy('headers', {}),
    robots: await place.policy('robots', {}),
    maintenance: await place.policy('maintenance', { exemptNetworks: ['private_ranges'] }),
    password: await place.policy('basic-auth', { users: [{ name: 'ada', password: 'hush hush' }] }),
  };
  const policyNames = Object.keys(policies) as [keyof typeof policies];

  /** Makes the config of a site, with what says how it answers. */
  const recipes: readonly ((kind: string, address: string) => Promise<[string, Site]>)[] = [
    async (kind, address) => [`proxy: ${kind}`, { config: await render('proxy', { address }) }],
    async (kind, address) => [
      `by the field upstream: ${kind}`,
      { config: 'encode gzip\nreverse_proxy {upstream}', upstream: `http://${address}` },
    ],
    async () => [
      'redirect',
      { config: await render('redirect', { to: 'https://www.example.org' }) },
    ],
    async () => ['https-upstream', { config: await render('https-upstream', { address: secure }) }],
    async (kind, address) => {
      const routes = [{ path: '/api/*', address: plain, strip: true }];
      return [`paths: ${kind}`, { config: await render('paths', { routes, address }) }];
    },
    async () => {
      const addresses = [plain, upstreams['has nothing at /'] ?? ''];
      return ['balance', { config: await render('balance', { addresses }) }];
    },
    async () => ['static', { config: await render('static', { root: files }) }],
    async (kind, address) => {
      const values = { address, text: '<h1>Back soon</h1>' };
      return [`error-page: ${kind}`, { config: await render('error-page', values) }];
    },
    async () => ['respond', { config: 'respond "hello" 200' }],
    async () => ['nothing but a 404', { config: 'respond "nothing here" 404' }],
    async () => [
      'another site of the same Caddy',
      {
        config: `reverse_proxy 127.0.0.1:${httpPort} {\n\theader_up Host ${new URL(inner.domain).host}\n}`,
      },
    ],
    async (kind, address) => [
      `a path in a handle: ${kind}`,
      { config: `handle /app* {\n\treverse_proxy ${plain}\n}\nreverse_proxy ${address}` },
    ],
  ];

  return async (number: number): Promise<Named> => {
    const kind = KINDS[below(KINDS.length)] ?? '';
    const make = recipes[number % recipes.length];
    const [words, site] = (await make?.(kind, upstreams[kind] ?? '')) ?? ['', { config: '' }];
    const chosen = [...new Set(Array.from({ length: below(3) }, () => pick(policyNames)))];
    const behind = chosen.length === 0 ? '' : `, behind: ${chosen.join(', ')}`;
    return {
      name: `${words}${behind}`,
      site: { policies: chosen.map((name) => policies[name]), ...site },
    };
  };
}

const signIn = (address: string) => ({ address, uri: '/verify', copyHeaders: ['Remote-User'] });
