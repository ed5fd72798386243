/** Exchanges the program of a proxy: the stored set goes to the new one, in the words of its version. */
import { dialectOf } from '../../shared/caddyfile/dialect.ts';
import { Failure } from '../../shared/failure.ts';
import type { CheckTarget } from '../../shared/wire/checks.ts';
import type { ExchangeAnswer, Program } from '../../shared/wire/programs.ts';
import { assertContained, assertPreambleContained, type Dialect } from '../model/containment.ts';
import { endpointsUnder } from '../model/endpoints.ts';
import { setFor } from '../model/placement.ts';
import type { Store } from '../model/store.ts';
import type { SiteSet } from '../model/vhost.ts';
import { isChecked } from './checks.ts';
import { importFirst } from './target/ownership.ts';
import type { Target } from './target/target.ts';

/** A program that the agent keeps. */
export type KeptProgram = Pick<Program, 'sha256' | 'version'>;

/** What is not worse with the new program, but otherwise; and what could not be asked. */
export type Exchanged = Pick<ExchangeAnswer, 'from' | 'to' | 'differences' | 'leftOut'>;

export type ExchangeDeps = {
  store: Store;
  /** The whole set that is accepted and stored. */
  stored: () => SiteSet;
  now: () => Date;
};

/**
 * Call it between two publishes.
 * @returns null if the program already runs
 * @throws Failure, with everything as it was before
 */
export async function exchangeProgram(
  target: Target,
  { sha256, version }: KeptProgram,
  { store, stored, now }: ExchangeDeps,
): Promise<Exchanged | null> {
  const { client, gateway, upkeep } = target;
  if (target.agent().paused) throw paused();
  store.assertInPlace();
  const look = await target.look();
  if (!store.hasPublished() && look.found.foreign) throw importFirst(look.found, store);
  const before = (await client.programs()).current;
  if (before?.sha256 === sha256) return null;
  // What the new one gets is what the old one serves, so that only the program differs.
  await target.compare(look);
  const set = target.leftOut.of(setFor(stored(), target.id));
  await assertReadable(set, { ...target.lastDialect(), ...dialectOf(version) });
  if (!store.hasPublished()) store.markAttempt(now());
  const expects = target.seen().status?.liveDigest ?? undefined;
  const how = { sha256, checks: checksOf(set), ...(expects !== undefined && { expects }) };
  target.setExchange(version);
  try {
    const { from, to, differences, leftOut } = await target
      .watched(gateway.exchange(set, version, how))
      .catch(async (error: unknown) => {
        if (!isLost(error)) throw error;
        // It may have happened, or still happen.
        upkeep.doubt();
        const found = await client.programs().catch(() => null);
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
