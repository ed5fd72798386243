/** Random documents for `/apply`, and what people do between two of them: names and addresses clash on purpose. */
import type { Static } from 'elysia';
import {
  type AppliedPolicy,
  type AppliedSite,
  PLAIN_CONFIG,
} from '../../src/features/apply/schemas.ts';
import type { Operation, PolicyOperation } from '../../src/hub/model/operation.ts';
import type { Random } from './random.ts';

export type SomeDocument = {
  source: string;
  policies: Record<string, AppliedPolicy>;
  sites: Record<string, AppliedSite>;
  prune: boolean;
  adopt: boolean;
};

/** What is there, as `/vhosts` and `/policies` say. */
type Present = {
  sites: readonly { id: number; domain: string }[];
  policies: readonly { id: number; name: string; recipe: string }[];
};

/** A request of a person. */
export type ByHand =
  | { do: 'vhost'; operation: Static<typeof Operation> }
  | { do: 'policy'; operation: Static<typeof PolicyOperation> }
  | { do: 'delete policy'; id: number };

const SITES = ['s0', 's1', 's2', 's3', 's4'] as const;
const EXTRAS = ['x0', 'x1', 'x2', 'x3', 'x4'] as const;
const ADDRESSES = [...EXTRAS, ...SITES] as const;
const POLICIES = ['p0', 'p1', 'p2', '7'] as const;
const HASHES = [
  '$2b$14$3dhAvBeEwNwOVDHSFVj8/Ow1WvMDJUwaIGGktAnAwB8/RIqyE/UKy',
  '$2b$14$4dhAvBeEwNwOVDHSFVj8/Ow1WvMDJUwaIGGktAnAwB8/RIqyE/UKy',
] as const;

/** @param agents whose names sites may have */
export function randomDocuments(random: Random, agents: readonly [string, ...string[]]) {
  const { below, pick } = random;
  const often = (percent: number) => below(100) < percent;
  const some = <T>(items: readonly T[], percent: number): T[] => items.filter(() => often(percent));
  /** The same items in another order. */
  const shuffled = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => [below(1_000), item] as const)
      .toSorted(([a], [b]) => a - b)
      .map(([, item]) => item);
  const address = (name: string) => `http://${name}.example`;
  // The second directive does not exist, which only Caddy knows.
  const text = () => `${often(2) ? 'respnd' : 'respond'} ${pick(['one', 'two', 'three'])}`;

  /** Values of a recipe. */
  function policy(): AppliedPolicy {
    const everywhere = often(25) ? { everywhere: true } : often(20) ? { everywhere: false } : {};
    const networks = pick([['private_ranges'], ['192.0.2.0/24', '127.0.0.1'], ['127.0.0.0/8']]);
    const made = pick<AppliedPolicy>([
      { recipe: 'allow', values: { networks } },
      { recipe: 'block', values: { networks: ['203.0.113.9'] } },
      { recipe: 'maintenance' },
      { recipe: 'maintenance', values: { text: pick(['later', 'not now']) } },
      { recipe: 'basic-auth', values: { users: shuffled(users()) } },
    ]);
    if (often(1)) return { recipe: pick(['none', 'redirect']), ...everywhere };
    if (often(1)) return { recipe: 'allow', values: { networks: ['x'] } };
    return { ...made, ...everywhere };
  }

  /** Without a hash, the stored one stays, if there is one. */
  const users = () =>
    ['ada', 'bob']
      .slice(below(2))
      .map((name) => ({ name, ...(often(95) && { hash: pick(HASHES) }) }));

  /** @param dealt further addresses that it may have */
  function site(
    name: string,
    named: readonly string[],
    dealt: readonly string[] = ADDRESSES,
  ): AppliedSite {
    const lists = {
      ...(often(40) && { policies: shuffled(some(named, 50)) }),
      ...(often(15) && { except: shuffled(some(named, 40)) }),
      ...(often(1) && { policies: ['nobody'] }),
      ...(often(30) && { tags: shuffled(some(['a', 'b', ' a '], 60)) }),
      ...(often(30) && { agents: shuffled(some(agents, 50)) }),
      ...(often(20) && { enabled: often(50) }),
    };
    const forms: (() => AppliedSite)[] = [
      () => ({ config: text() }),
      () => ({ config: text(), upstream: '127.0.0.1:9' }),
      () => ({ upstream: pick(['127.0.0.1:8', 'http://127.0.0.1:9']) }),
      () => {
        const more = some(dealt, 30).filter((one) => one !== name);
        const first = often(20) ? address(name).toUpperCase() : address(name);
        return { config: `${[first, ...more.map(address)].join(', ')} {\n\t${text()}\n}` };
      },
    ];
    const [form = forms[0]] = often(40) ? forms.slice(-1) : shuffled(forms);
    const wrong = often(1) && pick<AppliedSite>([{}, { config: '{upsteam}', upstream: 'a:1' }]);
    return { ...(wrong || form?.()), ...lists };
  }

  return {
    document(): SomeDocument {
      const names = shuffled(some(POLICIES, 45));
      const known = often(5) ? POLICIES : names;
      const further = shuffled([...EXTRAS]);
      const sites = shuffled(some(SITES, 60)).map((name) => {
        const spelled = often(10) ? address(name).toUpperCase() : address(name);
        const dealt = often(5) ? ADDRESSES : further.splice(0, 2);
        return [spelled, site(name, known, dealt)] as const;
      });
      return {
        source: pick(['home', 'home', 'home', 'lab']),
        policies: Object.fromEntries(names.map((name) => [name, policy()])),
        sites: Object.fromEntries(sites),
        prune: often(60),
        adopt: often(70),
      };
    },

    /** What a person does; null if nothing is there for it. */
    byHand({ sites, policies }: Present): ByHand | null {
      const one = sites[below(sites.length || 1)];
      const own = policies[below(policies.length || 1)];
      const names = policies.map(({ name }) => name);
      const written = (name = pick(ADDRESSES)) => ({
        domain: address(name),
        config: PLAIN_CONFIG,
        ...site(name, names),
      });
      const { domain: _, config: __, ...fields } = written();
      const vhost = (op: string, more: object) => ({ do: 'vhost', operation: { op, ...more } });
      const made = pick<() => object | null | undefined | false>([
        () => vhost('create', written()),
        () => vhost('create', written(pick(EXTRAS))),
        () => one && vhost('update', { id: one.id, ...fields }),
        () => one && vhost('update', { id: one.id, tags: ['hand'] }),
        () => one && vhost('update', { id: one.id, ...written() }),
        () => one && vhost('toggle', { id: one.id }),
        () => one && vhost('delete', { id: one.id }),
        () => ({ do: 'policy', operation: { op: 'policy', name: pick(POLICIES), ...policy() } }),
        () => {
          const { recipe, ...changed } = policy();
          if (!own) return null;
          const { values, ...rest } = changed;
          const input = recipe === own.recipe ? changed : rest;
          return { do: 'policy', operation: { op: 'policy', id: own.id, ...input } };
        },
        () => own && { do: 'delete policy', id: own.id },
      ])();
      return (made || null) as ByHand | null;
    },
  };
}
