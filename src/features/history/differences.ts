/** What differs between two sets, one line a thing. Pure. */
import { changedFields, type SiteSet } from '../../hub/model/vhost.ts';

export type Difference = {
  op: 'create' | 'update' | 'delete';
  kind: 'site' | 'policy' | 'options' | 'certificate';
  /** A domain, or a name; of Caddy's options that of the proxy, or empty for those of all. */
  name: string;
  /** Caddy's options have none. */
  id?: number;
  /** That an update changes. */
  fields: string[];
};

/** What leads from one set to another; things are the same by their ids. */
export function differencesBetween(from: SiteSet, to: SiteSet): Difference[] {
  const agents = new Map(from.agents.map(({ id, preamble }) => [id, preamble]));
  const own = to.agents.filter(({ id, preamble }) => (agents.get(id) ?? null) !== preamble);
  const common = from.preamble === to.preamble ? [] : [{ name: '' }];
  return [
    ...compared('policy', from.policies, to.policies, (one, other) =>
      POLICY_FIELDS.filter((field) => !Bun.deepEquals(one[field], other[field])),
    ),
    ...compared('site', named(from.vhosts), named(to.vhosts), changedFields),
    ...[...common, ...own].map(
      ({ name }): Difference => ({ op: 'update', kind: 'options', name, fields: [] }),
    ),
    ...compared('certificate', from.certificates, to.certificates, (one, other) =>
      CERTIFICATE_FIELDS.filter((field) => one[field] !== other[field]),
    ),
  ];
}

const POLICY_FIELDS = ['name', 'recipe', 'values', 'everywhere', 'source'] as const;
const CERTIFICATE_FIELDS = ['name', 'chain', 'provider'] as const;

const named = (vhosts: SiteSet['vhosts']) => vhosts.map((one) => ({ ...one, name: one.domain }));

function compared<T extends { id: number; name: string }>(
  kind: Difference['kind'],
  from: readonly T[],
  to: readonly T[],
  fieldsOf: (one: T, other: T) => readonly string[],
): Difference[] {
  const before = new Map(from.map((one) => [one.id, one]));
  const after = new Set(to.map(({ id }) => id));
  const kept = to.flatMap((one): Difference[] => {
    const other = before.get(one.id);
    const thing = { kind, name: one.name, id: one.id };
    if (!other) return [{ op: 'create', ...thing, fields: [] }];
    const fields = [...fieldsOf(other, one)];
    return fields.length === 0 ? [] : [{ op: 'update', ...thing, fields }];
  });
  const gone = from
    .filter(({ id }) => !after.has(id))
    .map(({ name, id }): Difference => ({ op: 'delete', kind, name, id, fields: [] }));
  return [...gone, ...kept];
}
