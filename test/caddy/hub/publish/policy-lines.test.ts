/** What a refusal names, with policies and without, and what the digest of the proxyfile depends on. */
import { describe, expect, test } from 'bun:test';
import { rejected } from '../../../../agent/caddy/words.ts';
import type { AgentClient } from '../../../../src/hub/agents/client.ts';
import { assertContained } from '../../../../src/hub/model/containment.ts';
import { EMPTY_SET, type SiteSet, type Vhost } from '../../../../src/hub/model/vhost.ts';
import { createGateway } from '../../../../src/hub/publish/target/gateway.ts';
import type { Policy } from '../../../../src/hub/recipes/policy.ts';
import type { Values } from '../../../../src/hub/recipes/recipe.ts';
import { dialectOf, hasHeredocs } from '../../../../src/shared/caddyfile/dialect.ts';
import { Failure, type Location, sentenceOf } from '../../../../src/shared/failure.ts';
import { startAdaptCaddy } from '../../../harness/adapt-caddy.ts';
import { versionOf } from '../../../harness/caddys.ts';
import { forFile } from '../../../harness/for-file.ts';
import { MISTAKES, NEWER } from '../../../harness/mistakes.ts';
import { storedVhost } from '../../../harness/vhost.ts';

const at = new Date(0);
const policy = (name: string, recipe: string, values: Values): Policy => ({
  id: 1,
  name,
  recipe,
  values,
  everywhere: false,
  source: null,
  applied: null,
  createdAt: at,
  updatedAt: at,
});
const LAN = policy('lan', 'allow', { networks: ['private_ranges'] });
const vhost = (id: number, config: string, policies: Policy[] = []): Vhost =>
  storedVhost({ id, domain: `http://site-${id}.example`, config, policies });
const setOf = (...vhosts: Vhost[]): SiteSet => ({
  ...EMPTY_SET,
  preamble: '(s) {\n\tlog\n\tfoo\n}',
  vhosts,
});

/** It would be one in another text. */
const CADDYS_PLACE = / at \S*:\d|line #|Caddyfile:|-:\d/;

const version = versionOf('caddy');
const caddy = await forFile(startAdaptCaddy());
/** A stand-in for an agent, which asks a real Caddy, but only to adapt. */
const gateway = () =>
  createGateway(
    {
      async validate(text: string) {
        const adapted = await caddy.adapt(text);
        if (!adapted.ok)
          throw rejected((JSON.parse(adapted.error) as { error: string }).error, text);
      },
    } as unknown as AgentClient,
    { version: () => version, environment: () => null, noteLoaded() {} },
  );

/** The refusal of the whole set, and of a probe with its second site. */
async function refusalsOf(config: string, policies = [LAN]): Promise<Failure[]> {
  const faulty = vhost(2, config, policies);
  const set = setOf(vhost(1, 'respond one', [LAN]), faulty, vhost(3, 'respond three'));
  const early = await assertContained([faulty], set, dialectOf(version)).then(
    () => null,
    (error: Failure) => error,
  );
  if (early) return [early];
  const whole = await gateway()
    .check(set)
    .then(
      () => null,
      (error: unknown) => error,
    );
  const { broken } = await gateway().findBroken(set, [faulty]);
  return [whole, broken[0]?.failure] as Failure[];
}
const placesOf = async (...of: Parameters<typeof refusalsOf>): Promise<Location[]> =>
  (await refusalsOf(...of)).map(({ at }) => at);

describe('a mistake in a site, with policies or without, is on its line', () => {
  const inBlock = (config: string) =>
    `http://site-2.example {\n${config.replace(/^/gm, config.includes('<<') ? '' : '  ')}\n}`;
  test.each(MISTAKES.filter(([, , line]) => line !== null))('%s', async (_, config, line) => {
    for (const places of [await placesOf(config), await placesOf(`@m path /m\n${config}`)]) {
      for (const { vhost: named } of places) expect(named?.id).toBe(2);
    }
    for (const { vhost: named, policy: of } of await placesOf(config)) {
      expect({ line: named?.line, of }).toEqual({ line: line ?? 0, of: undefined });
    }
    for (const { at, detail } of await refusalsOf(config, [])) {
      expect([detail, at.vhost?.line]).toEqual([detail, line ?? 0]);
      expect(detail).not.toMatch(CADDYS_PLACE);
    }
    const places = await placesOf(inBlock(config));
    // Braces that do not match are another mistake there.
    if (places.length === 1) return;
    for (const { vhost: named } of places) expect(named?.line).toBe((line ?? 0) + 1);
  });

  test.each(NEWER)('%s', async (_, config, line) => {
    for (const policies of [[LAN], []]) {
      for (const { at, detail } of await refusalsOf(config, policies)) {
        expect(detail).not.toMatch(CADDYS_PLACE);
        if (hasHeredocs(version)) expect(at.vhost?.line).toBe(line);
      }
    }
  });

  test('in what takes the place of an import is on the line of that', async () => {
    for (const { vhost: named } of await placesOf('respond a\nimport s')) {
      expect(named).toEqual({ id: 2, domain: 'http://site-2.example', line: 2 });
    }
  });
});

test('a mistake in a policy names policy, field and site', async () => {
  const faulty = policy('door', 'forward-auth', {
    address: 'http://localhost:1/path',
    uri: '/',
    copyHeaders: [],
  });
  for (const where of await placesOf('respond a', [LAN, faulty])) {
    expect(where).toEqual({
      vhost: { id: 2, domain: 'http://site-2.example' },
      policy: { name: 'door', field: 'address' },
    });
    const failure = new Failure('PROXY_REJECTED', 'Refused.', { detail: 'why', at: where });
    expect(sentenceOf(failure)).toBe('in http://site-2.example, policy door, field address: why');
  }
});

test('another version of Caddy needs another proxyfile only if policies do', () => {
  let running: string | null = '2.6.2';
  const { digestOf } = createGateway({} as AgentClient, {
    version: () => running,
    environment: () => null,
    noteLoaded() {},
  });
  const plain = setOf(vhost(1, 'respond one'));
  const guarded = setOf(vhost(1, 'respond one', [LAN]));
  const digests = [digestOf(plain), digestOf(guarded)];
  expect(digestOf(setOf(vhost(1, 'respond one', [LAN])))).toBe(digests[1] ?? '');
  running = '2.11.4';
  expect(digestOf(plain)).toBe(digests[0] ?? '');
  expect(digestOf(guarded)).not.toBe(digests[1] ?? '');
  running = '2.6.2';
  expect(digestOf(guarded)).toBe(digests[1] ?? '');
});
