/**
 * What viewers see of what is wrong: where, since when, and what kind of fault, in signalbox's words. The words of
 * Caddy, of an authority, a check or another program may quote a config, so a viewer gets none of them. Pure.
 */
import { randomBytes } from 'node:crypto';
import { wordsOfProblem } from '../../features/problems.ts';
import { EVENTS } from '../../shared/events.ts';
import { agentForViewers } from '../http/agent-view.ts';
import type { IncidentView } from './incidents/incidents.ts';
import { eventOf, type ProblemView } from './problem.ts';
import type { Listed } from './problem-list.ts';
import type { Advice } from './sites/advice.ts';
import type { CertificateEntry } from './sites/certificate-list.ts';
import { warningsOf } from './sites/state.ts';
import type { VhostState } from './sites/view.ts';
import type { Status } from './status.ts';

/** Of the core's problems that are no event. */
const OTHERS: Partial<Record<ProblemView['code'], string>> = {
  FOREIGN: 'Caddy serves sites that signalbox does not manage.',
  RESTART_NEEDED: 'A failed start may have left ports of Caddy open.',
  ADVISORY: 'This version of Caddy has known vulnerabilities.',
};
const OTHER = 'There is a warning. Editors and owners can read it.';
const FAILING = 'Visitors get an error, or nothing.';
const REFUSED = 'The authority does not sign a certificate.';

/** A key names some problems by a hash of their words, which a viewer could guess. */
const SALT = randomBytes(16).toString('hex');
const keyFor = (key: string): string =>
  new Bun.CryptoHasher('sha256').update(`${SALT}${key}`).digest('hex').slice(0, key.length);

function problemForViewers({ key, marks: _, cure: __, ...problem }: Listed): ProblemView {
  const event = eventOf({ code: problem.code, level: 'bad' });
  const message = event
    ? EVENTS[event]
    : (OTHERS[problem.code] ?? wordsOfProblem(problem.code)?.viewers ?? OTHER);
  return { ...problem, key: keyFor(key), message };
}

export const incidentForViewers = (incident: IncidentView): IncidentView => ({
  ...incident,
  message: EVENTS[incident.event],
});

/** Only what an authority refused is in its words. */
const adviceForViewers = (advice: Advice | null): Advice | null =>
  advice && (advice.code === 'ACME' || advice.code === 'MIRRORED')
    ? { ...advice, message: REFUSED }
    : advice;

export function certificateForViewers(entry: CertificateEntry): CertificateEntry {
  const advice = adviceForViewers(entry.advice);
  const problem =
    entry.problem === entry.advice?.message ? (advice?.message ?? null) : entry.problem;
  return { ...entry, advice, problem, error: null };
}

export function stateForViewers({ agents, ...state }: VhostState): VhostState {
  return {
    ...state,
    ...detailsForViewers(state),
    ...(agents && { agents: agents.map((one) => ({ ...one, ...detailsForViewers(one) })) }),
  };
}

type StateDetails = Pick<
  VhostState,
  'problem' | 'addresses' | 'upstreams' | 'check' | 'failing' | 'warnings' | 'errors'
>;

function detailsForViewers(state: StateDetails): StateDetails {
  const { problem, addresses, upstreams, check, failing } = state;
  const seen = {
    problem: problem && EVENTS['vhost.broken'],
    addresses: addresses.map((one) => ({ ...one, advice: adviceForViewers(one.advice) })),
    upstreams: upstreams.map((one) => ({ ...one, error: null })),
    check: check && { ...check, reason: EVENTS['check.failing'] },
    ...(failing && { failing: { ...failing, words: FAILING } }),
  };
  return { ...seen, warnings: warningsOf(seen), errors: { acme: null, upstream: null } };
}

export const statusForViewers = (status: Status) => ({
  ...status,
  serving: status.serving && {
    http: { ...status.serving.http, reason: null },
    https: { ...status.serving.https, reason: null },
    cure: null,
  },
  problems: status.problems.map(problemForViewers),
  beforeUpgrade: [],
  agents: status.agents.map(agentForViewers),
  warnings: [],
  broken: status.broken.map((one) => ({ ...one, detail: EVENTS['vhost.broken'] })),
});
