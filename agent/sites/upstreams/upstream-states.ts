/** Whether an upstream is up, from all there is to go by: the last dial, requests and Caddy's own checks. */
import type { SiteUpstream } from '../../../src/shared/wire/sites.ts';
import type { LiveUpstream } from '../live-upstreams.ts';
import type { UpstreamFault } from '../site-errors.ts';
import type { UpstreamFigures } from './figures.ts';
import type { Probe } from './prober.ts';

/** Times in milliseconds since 1970; null for what is not known. */
export type Evidence = {
  upstream: LiveUpstream;
  probe: Probe | null;
  /** Why there is no probe. */
  unprobed: string;
  /** What speaks against it, in Caddy's log. */
  fault: UpstreamFault | null;
  /** When it last answered a request with success. */
  answered: number | null;
  figures: UpstreamFigures | null;
};

type UpstreamStates = {
  /** @param key of the upstream and its site */
  stateOf(key: string, evidence: Evidence): SiteUpstream;
  /** Forgets all but these. */
  keep(keys: Iterable<string>): void;
};

/** `since`: when that was so for the first time, as far as the evidence goes; `why` it is not known. */
type Verdict = { up: boolean; since: number } | { up: null; why: string };

/** A fault other than a failed dial counts for this long, if the upstream can be dialled. */
const FAULT_MS = 60_000;
/** How long a success speaks for an upstream that is not dialled. */
const ANSWERED_MS = 300_000;

/** Faults that a dial cannot disprove, because it does not check certificates. */
const UNTRUSTED = /\bx509: |\btls: /;

export function createUpstreamStates(time: () => Date): UpstreamStates {
  const now = () => time().getTime();
  let known = new Map<string, { up: boolean; since: number }>();

  function sinceOf(key: string, up: boolean, since: number, probe: Probe | null): number {
    const last = known.get(key);
    let from = since;
    if (last?.up === up) from = probe?.up === up ? Math.max(last.since, probe.since) : last.since;
    // The evidence for the change is older than what it changes: it has just won.
    else if (last && since <= last.since) from = now();
    known.set(key, { up, since: from });
    return from;
  }

  return {
    stateOf(key, evidence) {
      const { upstream, probe, fault, answered, figures } = evidence;
      const verdict = judge(evidence, now);
      const checked = Math.max(probe?.at ?? 0, answered ?? 0, fault?.at ?? 0);
      const { up } = verdict;
      return {
        address: upstream.address,
        up,
        since: up === null ? null : iso(sinceOf(key, up, verdict.since, probe)),
        lastChecked: checked === 0 ? null : iso(checked),
        latencyMs: up && probe?.up ? probe.latencyMs : null,
        unknown: up === null ? verdict.why : null,
        requests: figures?.requests ?? null,
        fails: figures?.fails ?? null,
        error: up === false ? errorOf(probe, fault, figures) : null,
      };
    },

    keep(keys) {
      const kept = new Set(keys);
      known = new Map([...known].filter(([key]) => kept.has(key)));
    },
  };
}

function judge(evidence: Evidence, now: () => number): Verdict {
  const { upstream, probe, unprobed, fault, answered, figures } = evidence;
  if (figures?.healthy === false) return { up: false, since: fault?.at ?? now() };
  if (fault && !isDisproved(fault, probe)) return { up: false, since: fault.at };
  if (answered !== null && probe?.up !== true) {
    if (answered > (probe?.at ?? now() - ANSWERED_MS)) return { up: true, since: answered };
  }
  if (typeof probe?.up === 'boolean') return { up: probe.up, since: probe.since };
  if (upstream.checked && figures?.healthy) return { up: true, since: now() };
  return { up: null, why: upstream.unknown ?? probe?.reason ?? unprobed };
}

function isDisproved({ kind, at, message }: UpstreamFault, probe: Probe | null): boolean {
  if (!probe?.up || kind === 'health' || UNTRUSTED.test(message)) return false;
  return probe.at > at + (kind === 'dial' ? 0 : FAULT_MS);
}

function errorOf(
  probe: Probe | null,
  fault: UpstreamFault | null,
  figures: UpstreamFigures | null,
): SiteUpstream['error'] {
  if (probe?.up === false) return { at: iso(probe.since), message: probe.reason };
  if (!fault) return null;
  const { at, message, kind } = fault;
  const isSure = figures?.healthy === false || UNTRUSTED.test(message);
  const isTransient = probe?.up === true && kind === 'answer' && !isSure;
  return { at: iso(at), message, ...(isTransient ? { transient: true } : {}) };
}

const iso = (time: number): string => new Date(time).toISOString();
