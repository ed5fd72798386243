/** The change back to a moment: the undo of everything that was changed since, or of what some sites need. Pure. */
import type { Change, Kind } from '../../hub/model/changes.ts';
import { ENTITIES, isPublished, type Recorded } from '../../hub/model/entities.ts';
import { revived } from '../../hub/model/history/revert.ts';
import { settled, undoing } from '../../hub/model/history/revert-group.ts';
import type { SiteSet } from '../../hub/model/vhost.ts';
import { Failure } from '../../shared/failure.ts';
import { listed } from '../../shared/one-line.ts';
import { type Difference, differencesBetween } from './differences.ts';
import type { Net } from './moment.ts';

/** What of a moment cannot be brought back, and stays as it is. */
type Left = { name: string; reason: string };

export type Restored = {
  changes: Difference[];
  left: Left[];
  published: boolean;
  before: SiteSet;
  after: SiteSet;
};

type Wanted = {
  /** What was changed since, as `netsAfter` has it, and the set that this has led to. */
  nets: readonly Net[];
  seen: SiteSet;
  /** The ids, at that moment, of the sites to bring back; undefined: everything. */
  vhosts: readonly number[] | undefined;
  /** Whether the rest is brought back if something cannot be. */
  partial: boolean;
  /** Whether certificates may be brought back: they are for owners. */
  isOwner: boolean;
};

/** How many things a refusal names. */
const MOST_NAMED = 10;

/**
 * @throws Failure, when planned: NOT_RESTORABLE with what cannot be; STALE if any of it has changed since it was read;
 * DOMAIN_TAKEN, POLICY_TAKEN, POLICY_IN_USE, CERTIFICATE_TAKEN
 */
export function restoreChange(wanted: Wanted): Change<Restored> {
  const { seen, partial } = wanted;
  const chosen = wanted.vhosts ? netsOf(wanted.vhosts, wanted.nets) : wholeOf(wanted.nets, seen);
  const locked = wanted.isOwner ? [] : chosen.filter(isCertificate);
  const kept = chosen.filter((net) => !locked.includes(net));

  return async (set, time) => {
    assertSeen(kept, seen, set);
    const left: Left[] = locked.map((net) => ({ name: shownName(net), reason: FOR_OWNERS }));
    const planned = await planRest(kept, left, partial)(set, time);
    if (left.length > 0 && !partial) throw notRestorable(left);
    const [after, steps] = 'done' in planned ? [set, []] : [planned.next, planned.steps];
    const result: Restored = {
      changes: differencesBetween(set, after),
      left,
      published: steps.some(isPublished),
      before: set,
      after,
    };
    return 'done' in planned ? { done: result } : { next: after, steps, result };
  };
}

/** Adds to `left` what cannot be undone, and undoes the rest. @throws Failure as `restoreChange` */
const planRest =
  (nets: readonly Net[], left: Left[], partial: boolean): Change<unknown> =>
  async (set, time) => {
    const { plan, standing } = await undoing(nets)(set, time);
    if (standing.length === 0) return settled(plan);
    left.push(...standing.map(({ entry, reason }) => leftOf(entry, reason)));
    if (!partial) throw notRestorable(left);
    const stay = new Set(standing.map(({ entry }) => entry));
    return planRest(stillPlanned(nets, stay, set), left, partial)(set, time);
  };

/** What people set. A certificate that was renewed or uploaded since is better than the one before. */
const wholeOf = (nets: readonly Net[], { certificates }: SiteSet): Net[] =>
  nets.filter(({ kind, domain, action }) => {
    if (kind === 'certificate') {
      const isReplaced = certificates.some(({ name }) => `(certificate ${name})` === domain);
      return action === 'delete' && !isReplaced;
    }
    return kind === 'vhost' || kind === 'policy' || kind === 'preamble';
  });

/** What was changed of these sites, and the policies of theirs that were deleted since. */
function netsOf(vhosts: readonly number[], nets: readonly Net[]): Net[] {
  const ids = new Set(vhosts);
  const sites = nets.filter(
    ({ kind, thing, before }) =>
      kind === 'vhost' && thing !== undefined && ids.has(thing) && before !== null,
  );
  const needed = new Set(
    sites.flatMap(({ before }) => revived<Recorded['vhost']>(before).policies),
  );
  const policies = nets.filter(
    ({ kind, thing, action }) =>
      kind === 'policy' && action === 'delete' && thing !== undefined && needed.has(thing),
  );
  return [...policies, ...sites];
}

const isCertificate = ({ kind }: Net): boolean => kind === 'certificate';

const FOR_OWNERS = 'Only owners can bring back a certificate.';

/** @throws Failure STALE */
function assertSeen(nets: readonly Net[], seen: SiteSet, set: SiteSet): void {
  if (seen === set || nets.every((net) => keptIn(net, seen) === keptIn(net, set))) return;
  throw new Failure('STALE', 'Something of it has been changed just now; nothing was restored.', {
    hint: 'Try again.',
  });
}

/** What a net is about, as a set has it. */
function keptIn(net: Net, set: SiteSet): string | undefined {
  const kept = revived<never>(net.after ?? net.before);
  const { undo } = ENTITIES[net.kind];
  const thing = undo?.find(set, kept);
  return thing && JSON.stringify(undo?.keep(thing as never));
}

/** Without those that stay, and without taking from sites that stay a policy that they have. */
function stillPlanned(nets: readonly Net[], stay: ReadonlySet<Net>, set: SiteSet): Net[] {
  const sites = new Set([...stay].filter(({ kind }) => kind === 'vhost').map(({ thing }) => thing));
  const policies = set.vhosts.filter(({ id }) => sites.has(id)).flatMap((one) => one.policies);
  const used = new Set<number | undefined>(policies.map(({ id }) => id));
  return nets.filter((net) => {
    const isUsed = net.kind === 'policy' && net.action === 'create' && used.has(net.thing);
    return !stay.has(net) && !isUsed;
  });
}

/** Why one of them stays: the undo says so only of a certificate. */
const leftOf = (net: Net, reason: string): Left => ({
  name: shownName(net),
  reason: WHY_LEFT[net.kind] ?? reason,
});

const WHY_LEFT: Partial<Record<Kind, string>> = {
  vhost: 'A proxy that it was placed on, or a policy that it had, is no longer there.',
  preamble: 'The proxy that had these options is no longer there.',
};

/** `app.example`, `policy lan-only` or `certificate home`. */
const shownName = ({ kind, domain }: Net): string =>
  kind === 'vhost' ? domain : domain.slice(1, -1).replace(/^preamble/, 'Caddy options');

function notRestorable(left: readonly Left[]): Failure {
  const [first] = left;
  return new Failure(
    'NOT_RESTORABLE',
    left.length === 1
      ? `${first?.name} cannot be what it was: ${first?.reason}`
      : `${left.length} things cannot be what they were.`,
    {
      detail: listed(
        left.map(({ name }) => name),
        MOST_NAMED,
      ),
      hint: 'Restore the rest with partial=true: these stay as they are.',
    },
  );
}
