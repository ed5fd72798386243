/** What stands between this hub and its proxy, another hub or program: for the log, the status and whoever wants to publish. */
import { messageOf } from '../../../shared/async.ts';
import { growing } from '../../../shared/every.ts';
import { FAILURES, Failure } from '../../../shared/failure.ts';
import type { Log } from '../../../shared/log.ts';
import { MAX_TERM } from '../../../shared/wire/protocol.ts';
import type { ProxyStatus } from '../../../shared/wire/proxy.ts';
import type { Store } from '../../model/store.ts';

export type Standing = {
  /** @param status null once the proxy serves what this hub published */
  see(status: ProxyStatus | null): void;
  readonly contention: Contention;
  /** Whose sites the proxy serves, if that is in the way of a change. */
  ownership(): string | null;
  /** All of it. */
  warnings(): string[];
  /** Logs each warning once, for as long as it stands. */
  report(): void;
};

export function createStanding(store: Store, log: Log, pace: ContentionPace): Standing {
  const contention = createContention(pace);
  let ownership: string | null = null;
  let reported: readonly string[] = [];

  function warnings(): string[] {
    const found = [ownership, contention.warning()];
    try {
      store.assertInPlace();
    } catch (error) {
      found.push(messageOf(error));
    }
    return found.filter((one) => one !== null);
  }

  return {
    see(status) {
      ownership = status && ownershipWarning(status, store);
    },
    contention,
    ownership: () => ownership,
    warnings,
    report() {
      const found = warnings();
      for (const warning of found) {
        if (!reported.includes(warning)) log('warning', { warning }, 'error');
      }
      reported = found;
    },
  };
}

/** Notices that another program keeps replacing what this hub publishes, and waits ever longer. */
type Contention = {
  /** Whether to leave what the other one published live for now. */
  isWaiting(): boolean;
  /** Notes that what another program had loaded was replaced. */
  replaced(): void;
  warning(): string | null;
};

/** Someone who tries something by hand is not a second hub. */
const PATIENCE = 3;

/** In milliseconds: the waits, and after how long it is over. */
export type ContentionPace = Readonly<{ first: number; longest: number; calm: number }>;

const WARNING =
  'Another program keeps replacing the configuration that this hub publishes: a second hub, a second agent, or something that uses Caddy’s admin endpoint. Switch it off. Until then this hub retries at growing intervals.';

/** @param clock milliseconds that never go back */
export function createContention(
  { first, longest, calm }: ContentionPace,
  clock = () => performance.now(),
): Contention {
  let times = 0;
  let last = Number.NEGATIVE_INFINITY;

  /** How often in a row. */
  function count(): number {
    if (clock() - last > calm) times = 0;
    return times;
  }

  return {
    isWaiting() {
      const beyond = count() - PATIENCE;
      return beyond >= 0 && clock() - last < growing(beyond + 1, first, longest);
    },
    replaced() {
      times = count() + 1;
      last = clock();
    },
    warning: () => (count() < PATIENCE ? null : WARNING),
  };
}

type Status = Pick<ProxyStatus, 'owner' | 'foreign' | 'liveDigest' | 'drift' | 'term'>;
type OwnHub = Pick<Store, 'id' | 'term' | 'hasPublished' | 'hasAttempted' | 'mayReplace'>;

/** Whether the agent knows that it obeys this hub. */
const isOwn = ({ owner }: Status, { id }: OwnHub): boolean => owner === id;

/** Whether a copy of this hub was promoted since, so that the agent refuses this one. */
const isSuperseded = ({ term }: Pick<Status, 'term'>, own: Pick<OwnHub, 'term'>): boolean =>
  term !== undefined && term > own.term;

/**
 * Whether the agent need not be told whose it is, and in which term, which only a publish does. A
 * Caddyfile that someone edited is not overwritten for that alone.
 */
export const isClaimed = (status: Status, own: OwnHub): boolean =>
  (isOwn(status, own) && (status.term === undefined || status.term === own.term)) ||
  (status.owner === null && status.drift);

/** Whether another hub, or a newer copy of this one, publishes to this proxy, and this one must not. */
export const isOthers = (status: Status, own: OwnHub): boolean =>
  isSuperseded(status, own) ||
  (!isOwn(status, own) && status.owner !== null && own.hasPublished() && !own.mayReplace());

/**
 * What an agent says, in which sites are also foreign that this very database published and does not
 * know: the file `-wal`, which holds the latest changes, was lost. Without a change ever begun, they are
 * no first publish that a crash kept from being recorded.
 * @param stored the digest of what is stored
 */
export function judged<S extends Status>(status: S, own: OwnHub, stored: () => string): S {
  const { liveDigest } = status;
  if (liveDigest === null || own.hasPublished() || own.hasAttempted()) return status;
  return isOwn(status, own) && liveDigest !== stored() ? { ...status, foreign: true } : status;
}

/** Whether `judged` found that. */
const isForgotten = (status: Status, own: OwnHub): boolean =>
  status.foreign && !own.hasPublished() && isOwn(status, own) && !isSuperseded(status, own);

/**
 * Whether the proxy serves what signalbox published from another database than this new one: a lost
 * database is an empty one.
 */
const isLost = (status: Status, own: OwnHub): boolean =>
  status.foreign &&
  !own.hasPublished() &&
  !isOwn(status, own) &&
  (status.owner !== null || status.liveDigest !== null);

/** Whether what the proxy serves has to be what is stored. A first publish may be live unrecorded. */
export const isOurs = (status: Status, own: OwnHub): boolean =>
  own.hasPublished() || (own.hasAttempted() && status.liveDigest !== null && isOwn(status, own));

/** The command after which agents obey this hub, and not one with that term. */
const outranking = (term = 1): string =>
  term < MAX_TERM
    ? `"signalbox promote --above ${term}"`
    : '"signalbox restore" with a backup of the other one, whose term is the highest there is,';

/** What the operator has to know; null if there is nothing. */
function ownershipWarning(status: Status, own: OwnHub): string | null {
  if (isSuperseded(status, own)) {
    return `A newer copy of this hub was promoted, and this Caddy obeys it: changes are refused and nothing is published (OTHER_HUB). Switch this hub off. To make this hub the active one instead, stop both and run ${outranking(status.term)} here.`;
  }
  if (isOthers(status, own)) {
    return 'Another hub publishes to this Caddy, so changes are refused and nothing is published (OTHER_HUB). Check AGENT_URL, or switch the other hub off and repeat a change with ?replace=true.';
  }
  if (isForgotten(status, own)) {
    return 'Caddy serves sites that this database published and no longer has: the file signalbox.db-wal, which held them, was lost. The sites stay live, and the first change is refused (IMPORT_FIRST). To get them back, stop signalbox and put that file back or run "signalbox restore", or import the Caddyfile with "signalbox import".';
  }
  if (!isLost(status, own)) return null;
  return 'Caddy serves sites that signalbox published from another database; this one is new, or its file was lost. The sites stay live, and the first change is refused (IMPORT_FIRST). To get them back, stop signalbox and run "signalbox restore", or import the Caddyfile with "signalbox import".';
}

export const otherHub = (status: Status, own: OwnHub) =>
  new Failure('OTHER_HUB', isSuperseded(status, own) ? SUPERSEDED : FAILURES.OTHER_HUB.meaning);

/** @throws Failure OTHER_HUB if a newer copy of this hub was promoted, as far as is known */
export function assertNotSuperseded(
  status: Pick<Status, 'term'> | null,
  own: Pick<OwnHub, 'term'>,
): void {
  if (status && isSuperseded(status, own)) throw new Failure('OTHER_HUB', SUPERSEDED);
}

const SUPERSEDED = 'A newer copy of this hub was promoted: switch this one off.';

/** Why a first change may not replace sites if it may be taken back: nobody has what they are. */
export const notRestorable = () =>
  new Failure(
    'IMPORT_FIRST',
    'The first change cannot have a check, because the current sites could not be restored. Import them first, or add the check later.',
  );

/** Why the first change has to wait. */
export const importFirst = (status: Status, own: OwnHub) =>
  new Failure(
    'IMPORT_FIRST',
    isForgotten(status, own)
      ? 'The proxy serves sites that this database published and lost with the file signalbox.db-wal: put that file back, restore a backup with "signalbox restore", import the Caddyfile, or repeat the change with ?replace=true.'
      : isLost(status, own)
        ? 'The proxy serves sites that another database published: restore that database with "signalbox restore", import the Caddyfile, or repeat the change with ?replace=true.'
        : 'The proxy serves sites that signalbox did not write: import them, or repeat the change with ?replace=true.',
  );
