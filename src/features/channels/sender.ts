/** Sends what is in the outbox, each channel on its own, until it has arrived or a week is over. */
import { eq, inArray, sql } from 'drizzle-orm';
import type { Db } from '../../hub/db/open.ts';
import { incidents } from '../../hub/db/schema.ts';
import type { Sealing } from '../../hub/db/sealing.ts';
import { settleAll, within } from '../../shared/async.ts';
import type { Clock } from '../../shared/clock.ts';
import type { DeliveryResult } from '../../shared/events.ts';
import { every } from '../../shared/every.ts';
import { Failure } from '../../shared/failure.ts';
import { type Log, reasonOf } from '../../shared/log.ts';
import { type Channel, channelOf } from './channels.ts';
import type { ChannelKind } from './kinds/kinds.ts';
import type { Delivery, Message } from './message.ts';
import { type MessageRow, sentSince, waitingFor } from './outbox.ts';
import { pauseAfter, planNext, type SendPace } from './sender-plan.ts';
import { channels, messages } from './tables.ts';

type SenderDeps = Clock & {
  db: Db;
  sealing: Pick<Sealing, 'open'>;
  /** The id of the hub. */
  hub: string;
  deliver: (channel: Channel, delivery: Delivery) => Promise<void>;
  pace: SendPace & { every: number };
  /** From 0 to 1. */
  random?: () => number;
  /** Gets the outcome of each attempt. */
  seen?: (kind: ChannelKind, result: DeliveryResult) => void;
  log: Log;
};

type Sender = {
  /** Sends what is due; resolves once nothing is. Never fails. */
  send(): Promise<void>;
  /** Sends what is due now and from then on every second. */
  begin(): void;
  /** Begins nothing, and waits briefly for what is under way: else a start repeats it. */
  end(): Promise<void>;
};

const STOPPING_MS = 2_000;
const GIVEN_UP_MS = 7 * 86_400_000;
/** By so many milliseconds two clocks may differ between two looks, and none was set. */
const DRIFT_MS = 10_000;

export function createSender(deps: SenderDeps): Sender {
  const { db, sealing, hub, deliver, pace, now, random = Math.random, seen = () => {}, log } = deps;
  const running = new Map<number, Promise<void>>();
  let isStopped = false;
  let lastFault = '';
  const isTrusted = createClockCheck(deps);

  /** @returns whether something was sent, or tried */
  async function sendNext(channel: Channel): Promise<boolean> {
    const time = now();
    const all = waitingFor(db, channel.id);
    const isSure = isTrusted();
    const isOld = ({ at }: MessageRow) => isSure && time.getTime() - at.getTime() >= GIVEN_UP_MS;
    const old = all.filter(isOld);
    if (old.length > 0) giveUp(channel, old, time);
    const waiting = all.filter((one) => !isOld(one));
    if (waiting.length === 0) return old.length > 0;
    const plan = planNext(
      waiting,
      sentSince(db, channel.id, new Date(time.getTime() - pace.window)),
      channel.quiet,
      time,
      pace,
    );
    if (plan.kind === 'nothing') return false;
    const which = inArray(messages.id, plan.ids);
    if (plan.kind === 'later') {
      db.update(messages).set({ dueAt: plan.until }).where(which).run();
      return false;
    }
    const ids = new Set(plan.ids);
    const chosen = waiting.filter(({ id }) => ids.has(id));
    const [first] = chosen;
    if (!first) return false;
    const digest = plan.isDigest ? crypto.randomUUID() : first.digest;
    const attempts = first.attempts + 1;
    // Before the attempt, so that what a crash leaves is sent again as the same message.
    db.update(messages).set({ attempts, digest }).where(which).run();
    const refusal = await deliver(channel, deliveryOf(chosen, digest)).then(() => null, refusalOf);
    if (isStopped && refusal !== null) return false;
    record(channel, { ids: plan.ids, attempts, refusal });
    return true;
  }

  type Outcome = { ids: number[]; attempts: number; refusal: Refusal | null };

  function record({ id, kind }: Channel, { ids, attempts, refusal }: Outcome): void {
    const time = now();
    const changes =
      refusal === null
        ? { sentAt: time, error: null }
        : { error: refusal.words, dueAt: new Date(time.getTime() + pauseOf(attempts, refusal)) };
    db.update(messages).set(changes).where(inArray(messages.id, ids)).run();
    seen(kind, refusal === null ? 'sent' : 'failed');
    if (refusal !== null) {
      log('message not delivered', { channel: id, kind, attempts, reason: refusal.words }, 'warn');
    }
  }

  /** As long as the receiver asks for, but never longer than the longest pause. */
  const pauseOf = (attempts: number, { retryAfter }: Refusal): number =>
    Math.min(Math.max(pauseAfter(attempts, random(), pace), retryAfter), pace.longestPause);

  /** Also what was never tried: a channel was disabled, or a backup restored. */
  function giveUp({ id, kind }: Channel, old: readonly MessageRow[], time: Date): void {
    const which = inArray(
      messages.id,
      old.map((one) => one.id),
    );
    const error = sql`coalesce(${messages.error}, 'Gave up after a week.')`;
    db.update(messages).set({ sentAt: time, error }).where(which).run();
    for (const _ of new Set(old.map((one) => one.digest ?? one.id))) seen(kind, 'given_up');
    log('messages given up', { channel: id, kind, count: old.length }, 'warn');
  }

  function deliveryOf([first, ...more]: readonly MessageRow[], digest: string | null): Delivery {
    if (!first) throw new Error('nothing to deliver');
    return {
      id: digest ?? idOf(first),
      messages: [messageOf(first), ...more.map(messageOf)],
    };
  }

  /** Copies of a database have rows with the same number, about different things. */
  const idOf = ({ id, at }: MessageRow): string =>
    new Bun.CryptoHasher('sha256')
      .update(`${hub} ${id} ${at.getTime()}`)
      .digest('hex')
      .slice(0, 32);

  function messageOf({
    id,
    state,
    event,
    about,
    level,
    message,
    at,
    incidentId,
  }: MessageRow): Message {
    const began =
      state !== 'flapping' && incidentId !== null
        ? db
            .select({ at: incidents.beganAt })
            .from(incidents)
            .where(eq(incidents.id, incidentId))
            .get()
        : undefined;
    return { id, state, event, about, level, message, at, beganAt: began?.at };
  }

  async function run(channel: Channel): Promise<void> {
    try {
      while (!isStopped && (await sendNext(channel)));
      lastFault = '';
    } catch (error) {
      report(error);
    }
    running.delete(channel.id);
  }

  /** Once, as long as it stays the same. */
  function report(error: unknown): void {
    const reason = reasonOf(error);
    if (!isStopped && reason !== lastFault) log('outbox not usable', { reason }, 'error');
    lastFault = reason;
  }

  /** Prepared once, because each look asks, every second. */
  const enabled = db.select().from(channels).where(eq(channels.enabled, true)).prepare();

  function enabledChannels(): Channel[] {
    try {
      return enabled.all().map((row) => channelOf(row, sealing));
    } catch (error) {
      report(error);
      return [];
    }
  }

  async function send(): Promise<void> {
    if (isStopped) return;
    for (const channel of enabledChannels()) {
      if (!running.has(channel.id)) running.set(channel.id, run(channel));
    }
    await settleAll([...running.values()]);
  }

  // Nobody waits for one that hangs: the others go on.
  const looks = every({ pause: pace.every }, () => void send());

  return {
    send,
    begin: looks.begin,
    async end() {
      isStopped = true;
      await looks.end();
      await within(settleAll([...running.values()]), STOPPING_MS, () => undefined);
    },
  };
}

/**
 * Whether the clock was not set lately: one that is wrong for a moment must not age what waits. Once it
 * has run for as long as the longest pause, everything was tried since, and its time counts.
 */
function createClockCheck({ now, elapsed, pace }: Pick<SenderDeps, 'now' | 'elapsed' | 'pace'>) {
  const difference = () => now().getTime() - elapsed();
  let before = difference();
  let setAt = Number.NEGATIVE_INFINITY;
  return (): boolean => {
    const current = difference();
    if (Math.abs(current - before) > DRIFT_MS) setAt = elapsed();
    before = current;
    return elapsed() - setAt >= pace.longestPause;
  };
}

/** Why a message was not taken, and after how many milliseconds the receiver wants another attempt. */
type Refusal = { words: string; retryAfter: number };

/** Any other error might quote the target. */
function refusalOf(error: unknown): Refusal {
  if (!(error instanceof Failure)) {
    return { words: 'The message could not be sent.', retryAfter: 0 };
  }
  const { detail, message, retryAfter = 0 } = error;
  return { words: detail ?? message, retryAfter: retryAfter * 1_000 };
}
