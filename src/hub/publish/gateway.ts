/** Hands a set of vhosts to the agent, and puts the agent's refusals in terms of vhosts. */
import { Failure, type Location } from '../../shared/failure.ts';
import { memoize } from '../../shared/memoize.ts';
import type { AgentClient } from '../agent-client/client.ts';
import { mistakeLine } from '../caddyfile/mistake.ts';
import { renderProbe } from '../caddyfile/probe.ts';
import { locate, type Rendered, render } from '../caddyfile/render.ts';
import { isRejection } from './refusal.ts';
import type { SiteSet, Vhost } from './vhost.ts';

/** A vhost that the proxy refuses, and why. */
export type BrokenVhost = { vhost: Vhost; failure: Failure };

/** If the proxy names a line, a refusal says `at` which vhost, or that it is in the preamble. */
export type Gateway = {
  /** The digest of the proxyfile that a set renders to. */
  digestOf(set: SiteSet): string;
  /**
   * Makes a set live.
   * @param changed the vhosts whose config needs validation; all of them if it is missing
   * @throws Failure
   */
  publish(set: SiteSet, changed?: readonly Vhost[]): Promise<void>;
  /**
   * Asks whether the proxy would accept a set, and changes nothing.
   * @param changed vhosts to validate even if they are disabled
   * @throws Failure
   */
  check(set: SiteSet, changed?: readonly Vhost[]): Promise<void>;
  /**
   * Finds vhosts that the proxy refuses even alone, by halving.
   * @returns at most five
   * @throws Failure if the agent or the proxy cannot be asked
   */
  findBroken(set: SiteSet, vhosts: readonly Vhost[]): Promise<BrokenVhost[]>;
};

/** Enough to start with; the others turn up once these are fixed. */
const MOST_BROKEN = 5;

export function createGateway(agent: AgentClient): Gateway {
  const renderedOf = memoize((set: SiteSet) => render(set.preamble, set.vhosts));

  async function validate(set: SiteSet, vhosts: readonly Vhost[]): Promise<void> {
    const probe = renderProbe(renderedOf(set), vhosts);
    await located(agent.validate(probe.text), probe);
  }

  return {
    digestOf: memoize((set) =>
      new Bun.CryptoHasher('sha256').update(renderedOf(set).text).digest('hex'),
    ),

    async publish(set, changed) {
      const whole = renderedOf(set);
      const probe = changed && renderProbe(whole, changed);
      const lines = probe ? { ...whole, spans: [...whole.spans, ...beyond(whole, probe)] } : whole;
      await located(agent.reload(whole.text, probe?.text), lines, probe?.text);
    },

    async check(set, changed = []) {
      const whole = renderedOf(set);
      await located(agent.validate(whole.text), whole);
      const hidden = changed.filter(({ id }) => !whole.spans.some((span) => span.id === id));
      if (hidden.length > 0) await validate(set, hidden);
    },

    async findBroken(set, vhosts) {
      const found: BrokenVhost[] = [];
      async function search(among: readonly Vhost[]): Promise<void> {
        const [only] = among;
        if (!only || found.length >= MOST_BROKEN) return;
        try {
          await validate(set, among);
        } catch (error) {
          if (!isRejection(error)) throw error;
          if (among.length === 1) {
            const { vhost = { id: only.id, domain: only.domain }, preamble } = error.at;
            found.push({ vhost: only, failure: preamble ? error : error.about({ vhost }) });
            return;
          }
          const middle = among.length >> 1;
          await search(among.slice(0, middle));
          await search(among.slice(middle));
        }
      }
      await search(vhosts);
      return found;
    },
  };
}

/** The spans of a probe that come after the end of the whole. */
function beyond(whole: Rendered, probe: Rendered) {
  const known = new Set(whole.spans.map(({ id }) => id));
  return probe.spans.filter(({ id }) => !known.has(id));
}

/**
 * Turns a refusal's line of the proxyfile into one of a vhost's config or of the preamble.
 * @param text what the proxy validated, with every line where `rendered` has it
 */
async function located<T>(call: Promise<T>, rendered: Rendered, text = rendered.text): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof Failure) || error.at.line === undefined) throw error;
    throw error.about(locationOf(rendered, mistakeLine(text, error.at.line, error.detail)));
  }
}

function locationOf(rendered: Rendered, line: number): Location {
  const vhost = locate(rendered, line) ?? besideConfig(rendered, line);
  if (vhost) return { vhost };
  const { preambleLine, headLines } = rendered;
  const isInside = line >= preambleLine && line <= headLines;
  return { preamble: isInside ? { line: line - preambleLine + 1 } : {} };
}

/** The vhost whose address line or closing brace, which the hub adds, is on a line. */
function besideConfig({ spans, headLines }: Rendered, line: number) {
  const span = line > headLines ? spans.findLast(({ first }) => first - 1 <= line) : undefined;
  return span ? { id: span.id, domain: span.domain, line: 1 } : null;
}
