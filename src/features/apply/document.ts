/** A document of sites and policies, and what becomes of the things that it names. Pure. */

import { isDiffering } from '../../hub/model/source.ts';
import type { Vhost } from '../../hub/model/vhost.ts';
import type { Policy } from '../../hub/recipes/policy.ts';
import { Failure } from '../../shared/failure.ts';
import type { AppliedPolicy, AppliedSite, Named } from './schemas.ts';

export type Document = {
  source: string;
  sites: Named<AppliedSite>;
  policies: Named<AppliedPolicy>;
  /** Whether what the source kept and the document no longer names is deleted. */
  prune: boolean;
  /** The ids of those that it does not name and leaves as they are all the same. */
  keeps?: ReadonlySet<number>;
  /** Whether it takes over what people or other sources keep. */
  adopt: boolean;
};

/** What becomes of one thing; `fields` are those that an update or an adoption changes. */
export type PlannedChange = {
  op: 'create' | 'update' | 'delete' | 'adopt';
  kind: 'site' | 'policy';
  name: string;
  fields: string[];
};

/** Adds to the plan. */
export type Note = (change: PlannedChange) => void;

/**
 * What the document does to something that is there; null: nothing. An `adopt` without fields only notes whose
 * it is, also when people have changed it to what the document says.
 * @throws Failure DOMAIN_TAKEN or POLICY_TAKEN if it belongs to somebody else
 */
export function opOf(
  before: Vhost | Policy,
  fields: readonly string[],
  { source, adopt }: Document,
): 'update' | 'adopt' | null {
  if (before.source !== source) {
    if (!adopt)
      throw taken(before, 'To take it over, adopt it. A file with another name is another source.');
    return 'adopt';
  }
  if (fields.length > 0) return 'update';
  return isDiffering(before) ? 'adopt' : null;
}

/** Why a document does not change what belongs to somebody else. */
export function taken(thing: Vhost | Policy, hint?: string): Failure {
  const isSite = 'domain' in thing;
  const name = isSite ? `site ${thing.domain}` : `policy ${thing.name}`;
  const by = thing.source === null ? 'by hand' : `by ${thing.source}`;
  return new Failure(
    isSite ? 'DOMAIN_TAKEN' : 'POLICY_TAKEN',
    `There is a ${name} already, which is kept ${by}.`,
    { hint },
  );
}

/** Adds where in the document it is to the failure of a part of it. */
export async function locating<T>(place: string, work: () => T): Promise<Awaited<T>> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { field } = error.at;
    const isNamed = field !== undefined && field !== place;
    throw error.about({ ...error.at, field: isNamed ? `${place}.${field}` : place });
  }
}
