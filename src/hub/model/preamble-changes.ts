/** The changes that people make to preambles. Pure. */
import { type Static, t } from 'elysia';
import { Failure } from '../../shared/failure.ts';
import { CLOUDFLARE_AS_OF } from '../caddyfile/cloudflare.ts';
import {
  faultOfProxy,
  faultOfTrusting,
  trustedIn,
  withTrusted,
} from '../caddyfile/trusted-proxies.ts';
import { agentNamed, setFor } from './applied.ts';
import type { Change, Preamble, StepOf } from './changes.ts';

/** As `trustedIn` has them. */
export const TrustedProxies = t.Union([t.Array(t.String()), t.Null()], {
  description: `the proxies in front of Caddy that it believes about the address of a visitor, on all ports: \`cloudflare\` (its networks of ${CLOUDFLARE_AS_OF}), \`private_ranges\`, addresses and networks, at most 100; null: none. Needs Caddy 2.8`,
  examples: [['cloudflare']],
});
const MOST_PROXIES = 100;

/** @throws Failure INVALID_REQUEST */
export const preambleChange =
  (config: string): Change<{ success: true }> =>
  (set) => {
    assertText(config);
    if (config === set.preamble) return { done: { success: true } };
    return {
      next: { ...set, preamble: config },
      steps: [preambleStep(null, set.preamble, config)],
      result: { success: true },
    };
  };

/**
 * Gives an agent a preamble of its own, or with null the common one again.
 * @throws Failure INVALID_REQUEST, NOT_FOUND
 */
export const agentPreambleChange =
  (name: string, config: string | null): Change<{ success: true }> =>
  (set, time) => {
    if (config !== null) assertText(config);
    const agent = agentNamed(name, set);
    if (config === agent.preamble) return { done: { success: true } };
    const after = { ...agent, preamble: config, updatedAt: time };
    return {
      next: { ...set, agents: set.agents.map((one) => (one === agent ? after : one)) },
      steps: [preambleStep(agent, agent.preamble, config)],
      result: { success: true },
    };
  };

/** What a person sends: a text, or which proxies it trusts, or both. What is undefined stays. */
type PreambleInput = {
  /** Null, for an agent: the common one again. */
  config?: string | null | undefined;
  trustedProxies?: Static<typeof TrustedProxies> | undefined;
};

/** @param agent whose own preamble it is; without, the common one @throws Failure INVALID_REQUEST, NOT_FOUND */
export const preambleChangeOf =
  ({ config, trustedProxies }: PreambleInput, agent?: string): Change<{ success: true }> =>
  (set, time) => {
    const now = agent ? setFor(set, agentNamed(agent, set).id).preamble : set.preamble;
    if (config === null && (!agent || trustedProxies !== undefined)) {
      throw invalid('config', 'Only the preamble of an agent can be null, without trustedProxies.');
    }
    if (config === undefined && trustedProxies === undefined) {
      throw invalid('config', 'Nothing is to be changed.');
    }
    const base = config === undefined ? now : config;
    const text = base === null ? null : trusting(base, trustedProxies);
    if (agent) return agentPreambleChange(agent, text)(set, time);
    return preambleChange(text ?? '')(set, time);
  };

function trusting(preamble: string, trusted: PreambleInput['trustedProxies']): string {
  if (trusted === undefined) return preamble;
  if (trusted === null) return trustedIn(preamble) ? withTrusted(preamble, null) : preamble;
  if (trusted.length === 0 || trusted.length > MOST_PROXIES) {
    const message = `Name 1 to ${MOST_PROXIES} proxies, or null for none.`;
    throw invalid('trustedProxies', message);
  }
  for (const [at, name] of trusted.entries()) {
    const fault = faultOfProxy(name);
    if (fault !== null) throw invalid(`trustedProxies.${at}`, `${JSON.stringify(name)} ${fault}.`);
  }
  const fault = faultOfTrusting(preamble);
  if (fault !== null) throw invalid('trustedProxies', fault);
  return withTrusted(preamble, trusted);
}

const preambleStep = (
  agent: Preamble['agent'],
  before: string | null,
  after: string | null,
): StepOf<'preamble'> => ({
  kind: 'preamble',
  before: { agent, config: before },
  after: { agent, config: after },
  vhosts: [],
});

function assertText(preamble: string): void {
  if (preamble.isWellFormed()) return;
  throw invalid('config', 'The preamble is not valid Unicode.');
}

const invalid = (field: string, message: string) =>
  new Failure('INVALID_REQUEST', message, { at: { field } });
