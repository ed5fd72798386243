/** Exchanges the program of a proxy: the stored set goes to the new one, in the words of its version. */

import type { Author } from '../../hub/model/changes.ts';
import {
  assertContained,
  assertPreambleContained,
  type Dialect,
} from '../../hub/model/containment.ts';
import { endpointsUnder } from '../../hub/model/endpoints.ts';
import { setFor } from '../../hub/model/placement.ts';
import type { Store } from '../../hub/model/store.ts';
import type { SiteSet } from '../../hub/model/vhost.ts';
import { isChecked } from '../../hub/publish/checks.ts';
import type { Publisher } from '../../hub/publish/publisher.ts';
import { importFirst } from '../../hub/publish/target/ownership.ts';
import type { Target } from '../../hub/publish/target/target.ts';
import { dialectOf } from '../../shared/caddyfile/dialect.ts';
import { Failure } from '../../shared/failure.ts';
import type { CheckTarget } from '../../shared/wire/checks.ts';
import { EXCHANGE, type ExchangeAnswer, PROGRAMS, type Program } from './wire.ts';

/** A program that the agent keeps. */
export type KeptProgram = Pick<Program, 'sha256' | 'version'>;

/** What is not worse with the new program, but otherwise; and what could not be asked. */
export type Exchanged = Pick<ExchangeAnswer, 'from' | 'to' | 'differences' | 'leftOut'>;

type ExchangeDeps = {
  publisher: Pick<Publisher, 'between' | 'current'>;
  now: () => Date;
};

/**
 * Between two publishes, and recorded.
 * @param name of the agent
 * @param program that it keeps
 * @returns null if it already runs
 * @throws Failure, with everything as it was before; NOT_FOUND if there is no such agent
 */
export type Exchange = (
  name: string,
  program: KeptProgram,
  author: Author,
) => Promise<Exchanged | null>;

export function createExchange({ publisher, now }: ExchangeDeps): Exchange {
  return (name, program, author) =>
    publisher.between(name, async (target, store) => {
      const how = { store, stored: publisher.current, now };
      const done = await exchangeProgram(target, program, how);
      if (!done) return null;
      const after = { agent: target.label(), from: done.from, to: done.to };
      const step = { kind: 'program', before: after, after, vhosts: [] } as const;
      store.commit([{ author, plan: { next: publisher.current(), steps: [step] } }], now());
      return done;
    });
}

type Where = {
  store: Store;
  /** The whole set that is accepted and stored. */
  stored: () => SiteSet;
  now: () => Date;
};

/** @throws as `Exchange` */
async function exchangeProgram(
  target: Target,
  { sha256, version }: KeptProgram,
  { store, stored, now }: Where,
): Promise<Exchanged | null> {
  const { client, gateway, upkeep } = target;
  if (target.agent().paused) throw paused();
  store.assertInPlace();
  const look = await target.look();
  if (!store.hasPublished() && look.found.foreign) throw importFirst(look.found, store);
  const before = (await client.ask(PROGRAMS, {})).current;
  if (before?.sha256 === sha256) return null;
  // What the new one gets is what the old one serves, so that only the program differs.
  await target.compare(look);
  const set = target.leftOut.of(setFor(stored(), target.id));
  await assertReadable(set, { ...target.lastDialect(), ...dialectOf(version) });
  if (!store.hasPublished()) store.markAttempt(now());
  const expects = target.seen().status?.liveDigest ?? undefined;
  const how = { sha256, checks: checksOf(set), ...(expects !== undefined && { expects }) };
  const asker = { hub: store.id, term: store.term };
  target.setExchange(version);
  try {
    const { from, to, differences, leftOut } = await target
      .watched(
        gateway.publishBy(set, version, (sent) =>
          client.send(EXCHANGE, { ...how, ...sent, ...asker }),
        ),
      )
      .catch(async (error: unknown) => {
        if (!isLost(error)) throw error;
        // It may have happened, or still happen.
        upkeep.markUnknown();
        const found = await client.ask(PROGRAMS, {}).catch(() => null);
        if (found?.current?.sha256 !== sha256) throw error;
        return { from: before?.version ?? null, to: version, differences: [], leftOut: [] };
      });
    target.noteVersion(version);
    target.settle(stored(), []);
    return { from, to, differences, leftOut };
  } catch (error) {
    if (!upkeep.isUnsure() && !store.hasPublished()) store.markAttempt(null);
    throw error;
  } finally {
    target.setExchange(undefined);
  }
}

/** Whether all of a set stays in its place as another version reads it. @throws Failure PROXY_REJECTED */
async function assertReadable(set: SiteSet, dialect: Dialect): Promise<void> {
  assertPreambleContained(set.preamble, dialect);
  const served = set.vhosts.filter(({ enabled }) => enabled);
  await assertContained(served, set, dialect);
}

function checksOf({ preamble, vhosts }: SiteSet): CheckTarget[] {
  const endpointsOf = endpointsUnder(preamble);
  return vhosts.filter(isChecked).flatMap((vhost) => {
    const [endpoint] = endpointsOf(vhost);
    return endpoint ? [{ ...endpoint, check: vhost.check }] : [];
  });
}

const isLost = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'AGENT_UNREACHABLE';

const paused = () => new Failure('AGENT_UNREACHABLE', 'The agent is paused; resume it first.');
