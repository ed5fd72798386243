/** Whose sites the proxy serves, and whether this hub may replace them. Pure. */
import { FAILURES, Failure } from '../../../shared/failure.ts';
import { MAX_TERM } from '../../../shared/wire/protocol.ts';
import type { ProxyStatus } from '../../../shared/wire/proxy.ts';
import type { Store } from '../../model/store.ts';

type Status = Pick<ProxyStatus, 'owner' | 'foreign' | 'liveDigest' | 'drift' | 'term'>;
type Known = Pick<Store, 'id' | 'term' | 'hasPublished' | 'hasAttempted' | 'mayReplace'>;

/** Whether the agent knows that it obeys this hub. */
const isOwn = ({ owner }: Status, { id }: Known): boolean => owner === id;

/** Whether a copy of this hub was promoted since, so that the agent refuses this one. */
const isSuperseded = ({ term }: Pick<Status, 'term'>, known: Pick<Known, 'term'>): boolean =>
  term !== undefined && term > known.term;

/**
 * Whether the agent need not be told whose it is, and in which term, which only a publish does. A
 * Caddyfile that someone edited is not overwritten for that alone.
 */
export const isClaimed = (status: Status, known: Known): boolean =>
  (isOwn(status, known) && (status.term === undefined || status.term === known.term)) ||
  (status.owner === null && status.drift);

/** Whether another hub, or a newer copy of this one, publishes to this proxy, and this one must not. */
export const isOthers = (status: Status, known: Known): boolean =>
  isSuperseded(status, known) ||
  (!isOwn(status, known) && status.owner !== null && known.hasPublished() && !known.mayReplace());

/**
 * What an agent says, in which sites are also foreign that this very database published and does not
 * know: the file `-wal`, which holds the latest changes, was lost. Without a change ever begun, they are
 * no first publish that a crash kept from being recorded.
 * @param stored the digest of what is stored
 */
export function judged<S extends Status>(status: S, known: Known, stored: () => string): S {
  const { liveDigest } = status;
  if (liveDigest === null || known.hasPublished() || known.hasAttempted()) return status;
  return isOwn(status, known) && liveDigest !== stored() ? { ...status, foreign: true } : status;
}

/** Whether `judged` found that. */
const isForgotten = (status: Status, known: Known): boolean =>
  status.foreign && !known.hasPublished() && isOwn(status, known) && !isSuperseded(status, known);

/**
 * Whether the proxy serves what signalbox published from another database than this new one: a lost
 * database is an empty one.
 */
const isLost = (status: Status, known: Known): boolean =>
  status.foreign &&
  !known.hasPublished() &&
  !isOwn(status, known) &&
  (status.owner !== null || status.liveDigest !== null);

/** Whether what the proxy serves has to be what is stored. A first publish may be live unrecorded. */
export const isOurs = (status: Status, known: Known): boolean =>
  known.hasPublished() ||
  (known.hasAttempted() && status.liveDigest !== null && isOwn(status, known));

/** The command after which agents obey this hub, and not one with that term. */
const outranking = (term = 1): string =>
  term < MAX_TERM
    ? `"signalbox promote --above ${term}"`
    : '"signalbox restore" with a backup of the other one, whose term is the highest there is,';

/** What the operator has to know; null if there is nothing. */
export function ownershipWarning(status: Status, known: Known): string | null {
  if (isSuperseded(status, known)) {
    return `A newer copy of this hub was promoted, and this Caddy obeys it: changes are refused and nothing is published (OTHER_HUB). Switch this hub off. To make this hub the active one instead, stop both and run ${outranking(status.term)} here.`;
  }
  if (isOthers(status, known)) {
    return 'Another hub publishes to this Caddy, so changes are refused and nothing is published (OTHER_HUB). Check AGENT_URL, or switch the other hub off and repeat a change with ?replace=true.';
  }
  if (isForgotten(status, known)) {
    return 'Caddy serves sites that this database published and no longer has: the file signalbox.db-wal, which held them, was lost. The sites stay live, and the first change is refused (IMPORT_FIRST). To get them back, stop signalbox and put that file back or run "signalbox restore", or import the Caddyfile with "signalbox import".';
  }
  if (!isLost(status, known)) return null;
  return 'Caddy serves sites that signalbox published from another database; this one is new, or its file was lost. The sites stay live, and the first change is refused (IMPORT_FIRST). To get them back, stop signalbox and run "signalbox restore", or import the Caddyfile with "signalbox import".';
}

export const otherHub = (status: Status, known: Known) =>
  new Failure('OTHER_HUB', isSuperseded(status, known) ? SUPERSEDED : FAILURES.OTHER_HUB.meaning);

/** @throws Failure OTHER_HUB if a newer copy of this hub was promoted, as far as is known */
export function assertNotSuperseded(
  status: Pick<Status, 'term'> | null,
  known: Pick<Known, 'term'>,
): void {
  if (status && isSuperseded(status, known)) throw new Failure('OTHER_HUB', SUPERSEDED);
}

const SUPERSEDED = 'A newer copy of this hub was promoted: switch this one off.';

/** Why a first change may not replace sites if it may be taken back: nobody has what they are. */
export const notRestorable = () =>
  new Failure(
    'IMPORT_FIRST',
    'The first change cannot have a check, because the current sites could not be restored. Import them first, or add the check later.',
  );

/** Why the first change has to wait. */
export const importFirst = (status: Status, known: Known) =>
  new Failure(
    'IMPORT_FIRST',
    isForgotten(status, known)
      ? 'The proxy serves sites that this database published and lost with the file signalbox.db-wal: put that file back, restore a backup with "signalbox restore", import the Caddyfile, or repeat the change with ?replace=true.'
      : isLost(status, known)
        ? 'The proxy serves sites that another database published: restore that database with "signalbox restore", import the Caddyfile, or repeat the change with ?replace=true.'
        : 'The proxy serves sites that signalbox did not write: import them, or repeat the change with ?replace=true.',
  );
