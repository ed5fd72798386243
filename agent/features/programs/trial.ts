/** Tries another program of Caddy with all sites, while visitors get the one that runs: validate → ask the log → rehearse. */
import { withoutBlock } from '../../../src/shared/caddyfile/structure.ts';
import { Failure } from '../../../src/shared/failure.ts';
import { type Json, object } from '../../../src/shared/json.ts';
import type { NextProgram } from '../../caddy/process/next-program.ts';
import type { TrialCaddies } from '../../caddy/process/trial-caddy.ts';
import type { ProxyControl, Replaceable } from '../../caddy/proxy.ts';
import { digestOf } from '../../caddy/reload/proxyfile.ts';
import type { Other } from '../../caddy/reload/reload.ts';
import { liveSites } from '../../sites/live-sites.ts';
import type { Replays } from '../replay/replays.ts';
import { askBoth, type Differs } from './ask-both.ts';
import { askHistory } from './ask-history.ts';
import { createAddresses, rehearsalOf } from './rehearsal.ts';

export type TrialDeps = {
  trials: Pick<TrialCaddies, 'run'>;
  proxy: Pick<ProxyControl, 'admin'>;
  replaceable: Pick<Replaceable, 'reload' | 'proxyfile' | 'storage'>;
  replays: Pick<Replays, 'ofProgram'>;
  userAgent: () => string;
};

/** `checked`: the text that it accepts; null if some sites of it were left out. */
export type Trial = Differs & Pick<Other, 'checked'>;

/** As many refused sites are named: with 10,000 sites, to find one takes more than a second. */
const MOST_REFUSED = 20;
/** Bytes: more than Caddy takes for 10,000 sites. */
const MEMORY = 4 * 1024 ** 3;

/** @throws Failure PROXY_UNREACHABLE if one of the programs does not answer; STOPPING; file system errors */
export async function tryProgram(
  next: NextProgram,
  { proxy, replaceable, replays, userAgent, trials }: TrialDeps,
  signal: AbortSignal,
): Promise<Trial> {
  const { reload, proxyfile, storage } = replaceable;
  const text = proxyfile.read();
  if (text === null) return { worse: [], other: [], checked: null };
  const { refusals, rest } = await refusedSites(text, next.check);
  const worse = refusals.length === 0 ? [] : await newIn(refusals, text);
  const checked =
    refusals.length === 0 && next.mark !== null
      ? { digest: digestOf(text), mark: next.mark }
      : null;
  if (worse.length > 0) return { worse, other: [], checked };
  const history = await askHistory(replays, rest, next, signal);
  if (history.worse.length > 0) return { ...history, checked };
  const rehearsed = await rehearse(rest);
  return { worse: rehearsed.worse, other: [...history.other, ...rehearsed.other], checked };

  /** Without those that the program that runs refuses as well. */
  async function newIn(refusals: readonly string[], text: string): Promise<string[]> {
    const before = await refusedSites(text, (one) => reload.check(one, { ports: false }));
    const known = before.refusals.map(siteOf);
    return refusals.filter((one) => !known.includes(siteOf(one)));
  }

  async function rehearse(text: string): Promise<Differs> {
    const addressFor = createAddresses();
    const config = rehearsalOf(await reload.configBy(text, next), storage, addressFor);
    const sites = liveSites(object(JSON.parse(await proxy.admin.config()) as Json));
    const { commands } = next;
    return await trials.run(async (start, signal): Promise<Differs> => {
      try {
        await start({ ...config, commands, memory: MEMORY });
      } catch (error) {
        if (signal.aborted || !(error instanceof Failure)) throw error;
        const isRejected = error.code === 'PROXY_REJECTED';
        const reason = isRejected ? `It does not start: ${error.detail}` : error.message;
        return { worse: [reason], other: [] };
      }
      return await askBoth({ sites, addressFor, userAgent: userAgent(), signal });
    }, signal);
  }
}

/** The sites that a program refuses, each with its reason, and the text without them. @throws Failure PROXY_UNREACHABLE */
async function refusedSites(text: string, check: (text: string) => Promise<void>) {
  const refusals: string[] = [];
  for (let rest = text; ; ) {
    try {
      await check(rest);
      return { refusals, rest };
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'PROXY_REJECTED') throw error;
      const less = withoutBlock(rest, error.at.line);
      const site = less === null ? '' : `${addressIn(rest, less)}: `;
      refusals.push(`${site}${error.detail ?? error.message}`);
      if (less === null || refusals.length === MOST_REFUSED) return { refusals, rest };
      rest = less;
    }
  }
}

const siteOf = (refusal: string): string => refusal.slice(0, refusal.lastIndexOf(': ') + 1);

/** The address of the block that `less` lacks. */
function addressIn(text: string, less: string): string {
  const left = less.split('\n');
  const first = text.split('\n').find((line, at) => line !== left[at]);
  return first?.replace(/\s*\{\s*$/, '') ?? '';
}
