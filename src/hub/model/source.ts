/** What keeps vhosts and policies as they are, besides people: files, and the containers of an agent. Pure. */
import { createHash } from 'node:crypto';
import { Failure } from '../../shared/failure.ts';
import { memoize } from '../../shared/memoize.ts';
import type { Policy } from '../recipes/policy.ts';
import { FIELDS, type SiteSet, type Vhost } from './vhost.ts';

type Thing = Vhost | Policy;

/** The source of the sites of an agent's containers. */
export const containersOf = (agent: string): string => `containers/${agent}`;

/** Characters. */
const MAX_NAME = 100;

/** @throws Failure INVALID_REQUEST unless a source may be called so */
export function assertSource(name: string): void {
  const isSeen = !/[\p{C}\p{Zl}\p{Zp}]/u.test(name) && name.trim() === name && name !== '';
  if (isSeen && name.length <= MAX_NAME) return;
  const message = `The name of a source has 1 to ${MAX_NAME} visible characters.`;
  throw new Failure('INVALID_REQUEST', message, { at: { field: 'source' } });
}

/** Of what a source says of a thing. */
const digestOf = memoize((thing: Thing): string => {
  const said =
    'domain' in thing
      ? FIELDS.filter((field) => field !== 'source').map((field) =>
          field === 'policies' ? thing.policies.map(({ id }) => id) : thing[field],
        )
      : [thing.name, thing.recipe, thing.values, thing.everywhere];
  return createHash('sha256').update(JSON.stringify(said)).digest('hex');
});

/** The thing as this source wants it; with null, people keep it. */
export const keptBy = <T extends Thing>(thing: T, source: string | null): T => ({
  ...thing,
  source,
  applied: source === null ? null : digestOf(thing),
});

/** Whether somebody has changed it since its source last did. */
export const isDiffering = (thing: Thing): boolean =>
  thing.source !== null && thing.applied !== digestOf(thing);

/** Whether its source said last what it says now. */
export const saysTheSame = (thing: Thing, wanted: Thing): boolean =>
  thing.applied === digestOf(wanted);

/** How many things a source keeps, and how many of them differ from what it said. */
type SourceCount = { name: string; sites: number; policies: number; differing: number };

/** The sources of a set, by name. */
export const sourcesOf = memoize(({ vhosts, policies }: SiteSet): readonly SourceCount[] => {
  const found = new Map<string, SourceCount>();
  for (const thing of [...vhosts, ...policies]) {
    if (thing.source === null) continue;
    const { source: name } = thing;
    const count = found.get(name) ?? { name, sites: 0, policies: 0, differing: 0 };
    found.set(name, count);
    count['domain' in thing ? 'sites' : 'policies']++;
    if (isDiffering(thing)) count.differing++;
  }
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
});
