/**
 * Exchanges the program of a managed Caddy while visitors are served:
 * validate → ask the log → start beside → ask both → hand over → let the old one finish.
 */
import { existsSync } from 'node:fs';
import type { ExchangeAnswer, ExchangeRequest } from '../../../src/features/programs/wire.ts';
import { withoutBlock } from '../../../src/shared/caddyfile/structure.ts';
import { type Difference, FAILURES, Failure } from '../../../src/shared/failure.ts';
import { describe, sumOfFile } from '../../caddy/process/program.ts';
import { digestOf } from '../../caddy/reload/proxyfile.ts';
import type { AgentCore } from '../../core.ts';
import type { Replays } from '../replay/replays.ts';
import { askHistory } from './ask-history.ts';
import { createTakeOver, refused, type TakeOverDeps } from './take-over.ts';

type ExchangeDeps = TakeOverDeps & {
  replays: Pick<Replays, 'ofProgram'>;
  /** As `AgentCore` has it. */
  warn: AgentCore['warn'];
};

export type Exchange = {
  /**
   * @throws Failure NOT_FOUND, INVALID_REQUEST, ON_PROBATION, STALE, OTHER_HUB, PROGRAM_REFUSED, PROXY_UNREACHABLE,
   * with everything as it was
   */
  run(request: ExchangeRequest, signal: AbortSignal): Promise<ExchangeAnswer>;
};

/** As many refused sites are named: with 10,000 sites, to find one takes more than a second. */
const MOST_REFUSED = 20;

export function createExchange(deps: ExchangeDeps): Exchange {
  const { warn, log } = deps;
  const { kept, reload, commands, nextOf, runs } = deps.proxy;
  const takeOver = createTakeOver(deps);
  let isRunning = false;

  /** The sites that the program refuses, each with its reason. @throws Failure PROXY_UNREACHABLE */
  async function refusedSites(
    text: string,
    check: (text: string) => Promise<void>,
  ): Promise<Difference[]> {
    const found: Difference[] = [];
    for (let rest = text; found.length < MOST_REFUSED; ) {
      try {
        await check(rest);
        return found;
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== 'PROXY_REJECTED') throw error;
        const reason = error.detail ?? error.message;
        const less = withoutBlock(rest, error.at.line);
        found.push({ domain: less === null ? '' : addressIn(rest, less), reason });
        if (less === null) return found;
        rest = less;
      }
    }
    return found;
  }

  async function exchanged(
    { sha256, proxyfile: text, checks, ...options }: ExchangeRequest,
    signal: AbortSignal,
  ): Promise<ExchangeAnswer> {
    const sum = await sumKept(sha256);
    const bin = kept.fileOf(sum);
    const from = await describe({ ...commands, bin: runs() });
    const next = await nextOf(bin);
    const refusals = await refusedSites(text, next.check);
    if (refusals.length > 0) throw refused(refusals);
    const history = await askHistory(deps.replays, text, next, signal);
    if (history.worse.length > 0) throw refused(history.worse);
    const asked = await reload.prepareFor(text, options, next, (ready) =>
      takeOver({ bin, sum, checks, ready, signal }),
    );
    warn('program', null);
    log('program of Caddy exchanged', { from: from?.version, to: next.version });
    return {
      success: true,
      digest: digestOf(text),
      from: from?.version ?? null,
      to: next.version,
      differences: [...history.other, ...asked.other],
      leftOut: [...history.leftOut, ...asked.leftOut],
    };
  }

  /** @returns null for the program of PROXY_BIN @throws Failure NOT_FOUND, INVALID_REQUEST */
  async function sumKept(sha256: string): Promise<string | null> {
    if (sha256 === (await sumOfFile(runs()))) {
      throw new Failure('INVALID_REQUEST', 'This program runs already.');
    }
    const own = await sumOfFile(kept.fileOf(null));
    // If PROXY_BIN runs and is another one by now, it is exchanged for a copy of itself.
    const sum = sha256 === own && kept.current().sum !== null ? null : sha256;
    if (sum !== null && !existsSync(kept.fileOf(sum))) {
      throw new Failure('NOT_FOUND', 'The agent does not have this program.');
    }
    return sum;
  }

  return {
    async run(request, signal) {
      if (isRunning || kept.probation() !== null) {
        throw new Failure('ON_PROBATION', FAILURES.ON_PROBATION.meaning);
      }
      isRunning = true;
      // Another one may be taken in meanwhile.
      kept.hold(request.sha256);
      try {
        return await exchanged(request, signal);
      } finally {
        isRunning = false;
        kept.hold(null);
        kept.prune(request.sha256);
      }
    },
  };
}

/** The address of the block that `less` lacks. */
function addressIn(text: string, less: string): string {
  const left = less.split('\n');
  const first = text.split('\n').find((line, at) => line !== left[at]);
  return first?.replace(/\s*\{\s*$/, '') ?? '';
}
