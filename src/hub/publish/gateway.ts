/** A set of vhosts on its way to the agent, and the agent's refusals in terms of vhosts. */
import { Failure } from '../../shared/failure.ts';
import type { AgentClient } from '../agent-client/client.ts';
import { renderProbe } from '../caddyfile/probe.ts';
import { locate, type Rendered, render } from '../caddyfile/render.ts';
import { isRejection } from './batch.ts';
import type { SiteSet, Vhost } from './vhost.ts';

export type Gateway = ReturnType<typeof createGateway>;

/** A refusal that is known to come from one vhost. */
export type Blame = { vhost: Vhost; failure: Failure };

/** Enough to work on; the rest shows when these are mended. */
const MOST_BLAMED = 5;

export function createGateway(agent: AgentClient) {
  const rendered = new WeakMap<SiteSet, Rendered>();
  const digests = new WeakMap<SiteSet, string>();

  function renderedOf(set: SiteSet): Rendered {
    const known = rendered.get(set);
    if (known) return known;
    const made = render(set.preamble, set.vhosts);
    rendered.set(set, made);
    return made;
  }

  /** Resolves where the proxy would take these vhosts of the set. @throws Failure, lines as of each vhost */
  async function validate(set: SiteSet, vhosts: readonly Vhost[], own?: Vhost): Promise<void> {
    const probe = renderProbe(renderedOf(set), vhosts);
    await placed(agent.validate(probe.text), probe, own ? [own.id] : []);
  }

  return {
    /** The digest of the proxyfile that `set` renders to. */
    digestOf(set: SiteSet): string {
      const known = digests.get(set);
      if (known !== undefined) return known;
      const digest = new Bun.CryptoHasher('sha256').update(renderedOf(set).text).digest('hex');
      digests.set(set, digest);
      return digest;
    },

    /**
     * Makes a set live.
     * @param changed the vhosts whose config needs validation; all of them where it is missing
     * @throws Failure with the line within a changed vhost's config, or the name of another vhost
     */
    async publish(set: SiteSet, changed?: readonly Vhost[]): Promise<void> {
      const whole = renderedOf(set);
      const probe = changed && renderProbe(whole, changed);
      const lines = probe ? { ...whole, spans: [...whole.spans, ...beyond(whole, probe)] } : whole;
      const own = changed?.map(({ id }) => id) ?? [];
      const { digest } = await placed(agent.reload(whole.text, probe?.text), lines, own);
      digests.set(set, digest);
    },

    validate,

    /**
     * Asks whether the proxy would take a set; nothing is changed.
     * @param changed the vhosts to be judged as if enabled
     * @throws Failure as publish
     */
    async check(set: SiteSet, changed: readonly Vhost[] = []): Promise<void> {
      const whole = renderedOf(set);
      const own = changed.map(({ id }) => id);
      await placed(agent.validate(whole.text), whole, own);
      const hidden = changed.filter(({ id }) => !whole.spans.some((span) => span.id === id));
      if (hidden.length > 0) {
        const probe = renderProbe(whole, hidden);
        await placed(agent.validate(probe.text), probe, own);
      }
    },

    /** Those of `vhosts` that the proxy refuses by themselves, found by halving. @throws Failure */
    async findBroken(set: SiteSet, vhosts: readonly Vhost[]): Promise<Blame[]> {
      const found: Blame[] = [];
      async function search(among: readonly Vhost[]): Promise<void> {
        const [only] = among;
        if (!only || found.length >= MOST_BLAMED) return;
        try {
          await validate(set, among, among.length === 1 ? only : undefined);
        } catch (error) {
          if (!isRejection(error)) throw error;
          if (among.length === 1) {
            found.push({ vhost: only, failure: error });
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

/** Spans of a probe that lie behind the end of the whole. */
function beyond(whole: Rendered, probe: Rendered) {
  const known = new Set(whole.spans.map(({ id }) => id));
  return probe.spans.filter(({ id }) => !known.has(id));
}

/** The vhost a refusal speaks of, where its line told. */
const blamed = new WeakMap<Failure, number | null>();

/** The id of the vhost a refusal lies in, null for the preamble, undefined where it is not known. */
export const blamedBy = (failure: Failure): number | null | undefined => blamed.get(failure);

/** The vhost whose address or closing brace, which the hub writes, stands on a line. */
function besideConfig({ spans, headLines }: Rendered, line: number) {
  const span = line > headLines ? spans.findLast(({ first }) => first - 1 <= line) : undefined;
  return span ? { id: span.id, domain: span.domain, line: 1 } : null;
}

/** `line` is set where no vhost was changed, so that it cannot be taken for one of its config. */
function inPreamble(
  { code, message, line = 0 }: Failure,
  words: string,
  { preambleLine, headLines }: Rendered,
  own: readonly number[],
): Failure {
  if (line < preambleLine || line > headLines) {
    return new Failure(code, message, { detail: `preamble: ${words}` });
  }
  const at = line - preambleLine + 1;
  return new Failure(code, message, {
    detail: `preamble, line ${at}: ${words}`,
    ...(own.length === 0 ? { line: at } : {}),
  });
}

/** Tells a refusal's line as one of a vhost's own config, or names the vhost it lies in. */
async function placed<T>(call: Promise<T>, rendered: Rendered, own: readonly number[]): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof Failure) || error.line === undefined) throw error;
    const words = (error.detail ?? '').replace(/^line \d+: /, '');
    const place = locate(rendered, error.line) ?? besideConfig(rendered, error.line);
    const failure =
      place === null
        ? inPreamble(error, words, rendered, own)
        : own.includes(place.id)
          ? new Failure(error.code, error.message, {
              detail: `line ${place.line}: ${words}`,
              line: place.line,
            })
          : new Failure(error.code, error.message, {
              detail: `in ${place.domain}, line ${place.line}: ${words}`,
            });
    blamed.set(failure, place === null ? null : place.id);
    throw failure;
  }
}
