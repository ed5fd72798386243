/** Hands a set of vhosts to the agent, and puts the agent's refusals in terms of vhosts. */
import { ERAS } from '../../../shared/caddyfile/dialect.ts';
import { Failure, type Location } from '../../../shared/failure.ts';
import { memoize } from '../../../shared/memoize.ts';
import type { ChecksAnswer, CheckTarget } from '../../../shared/wire/checks.ts';
import type { KeptCertificate, StillOpen } from '../../../shared/wire/proxy.ts';
import type { AgentClient, Replacing } from '../../agents/client.ts';
import {
  locate,
  mistakeLine,
  type Place,
  type Rendered,
  renderProbe,
  type Site,
} from '../../caddyfile/render.ts';
import { renderSet, siteOf } from '../../model/applied.ts';
import type { Certificate } from '../../model/certificate.ts';
import { type Findings, isRejection } from '../../model/refusal.ts';
import type { SiteSet, Vhost } from '../../model/vhost.ts';
import { hintWithin } from './hints.ts';
import type { LastSeen } from './last-seen.ts';

/** A certificate with its key; null if that cannot be read: the agent may still have it. */
export type PairOf = (certificate: Certificate) => KeptCertificate | null;

export type PublishOptions = Replacing & {
  /** The vhosts whose config needs validation; all of them if it is missing. */
  changed?: readonly Vhost[] | undefined;
};

/** If the proxy names a line, a refusal says `at` which vhost, or that it is in the preamble. */
export type Gateway = {
  /** The digest of the proxyfile that a set renders to. @param of the version that it is for; the proxy's */
  digestOf(set: SiteSet, of?: string | null): string;
  /** Whether a digest is that of the set for any version of the proxy. */
  isOfAnyVersion(set: SiteSet, digest: string): boolean;
  /** Whether the keys of its certificates, of those that may travel to the agent, can be read. */
  hasKeys(set: SiteSet): boolean;
  /**
   * Has a set validated that is to be published with the same `changed`, which is faster then.
   * @throws Failure
   */
  prepare(set: SiteSet, changed: PublishOptions['changed']): Promise<void>;
  /** Makes a set live. @returns which connections outlive that @throws Failure */
  publish(set: SiteSet, options?: PublishOptions): Promise<readonly StillOpen[]>;
  /** How many publishes have ended, whatever came of them: what was known before one may be outdated. */
  published(): number;
  /**
   * Asks whether the proxy would accept a set, and changes nothing.
   * @param changed vhosts to validate even if they are disabled
   * @throws Failure
   */
  check(set: SiteSet, changed?: readonly Vhost[]): Promise<void>;
  /** Has a set tried beside the proxy. @param change as in `TrialRequest` @throws Failure as `AgentClient.trial` */
  tryOut(set: SiteSet, checks: CheckTarget[], change: boolean): Promise<ChecksAnswer>;
  /** Asks about a set by a call of a feature, which changes nothing. @throws Failure as `by` */
  askBy<T>(set: SiteSet, by: (proxyfile: string) => Promise<T>): Promise<T>;
  /**
   * Finds vhosts that the proxy refuses: by the line or file it names, otherwise by
   * halving.
   * @throws Failure if the agent or the proxy cannot be asked, or if the preamble itself is refused
   */
  findBroken(set: SiteSet, vhosts: readonly Vhost[]): Promise<Findings>;
};

/** Changes wait meanwhile. Of 1,000 vhosts, three are found in two seconds on two cores. */
const SEARCH_MS = 5_000;

/**
 * @param proxy what was last seen of it; it gets what a set does without which was made live
 * @param pairOf null if no key may travel to the agent: then no certificate does
 */
export function createGateway(
  agent: AgentClient,
  { version, environment, noteLoaded }: Pick<LastSeen, 'version' | 'environment' | 'noteLoaded'>,
  pairOf: PairOf | null = null,
): Gateway {
  let ended = 0;
  const known = new WeakMap<SiteSet, { of: string | null; rendered: Rendered }>();

  const sent = (set: SiteSet): SiteSet =>
    pairOf || set.certificates.length === 0 ? set : { ...set, certificates: [] };

  /** Of another version, another text: it has words of its own for what policies do. */
  function renderedOf(set: SiteSet, of = version()): Rendered {
    const found = known.get(set);
    if (found?.of === of) return found.rendered;
    const rendered = renderSet(sent(set), of);
    known.set(set, { of, rendered });
    return rendered;
  }

  /** Locates a refusal, and adds how to fix it. */
  async function explained<T>(call: Promise<T>, rendered: Rendered, of: SiteSet, text?: string) {
    try {
      return await located(call, rendered, text);
    } catch (error) {
      if (!isRejection(error)) throw error;
      const line = error.at.vhost?.line ?? error.at.preamble?.line;
      const proxy = { version: version(), environment: environment() };
      const hint = hintWithin(error, { text: textAt(error.at, of), line }, proxy, of.vhosts);
      throw hint === undefined ? error : error.hinting(hint);
    }
  }

  async function validate(set: SiteSet, vhosts: readonly Vhost[]): Promise<void> {
    const probe = renderProbe(renderedOf(set), sitesIn(set, vhosts));
    // Whether ports are free is not up to the vhosts that have them.
    await explained(agent.validate(probe.text, { ports: false }), probe, set);
  }

  /** @returns why the proxy refuses these vhosts, or null. @throws Failure of any other kind */
  async function refusalOf(set: SiteSet, vhosts: readonly Vhost[]): Promise<Failure | null> {
    try {
      await validate(set, vhosts);
      return null;
    } catch (error) {
      if (isRejection(error)) return error;
      throw error;
    }
  }

  const pairsOf = (set: SiteSet) => sent(set).certificates.flatMap((one) => pairOf?.(one) ?? []);

  /** A set as text, what of it is to be validated, and where in these two the vhosts are. */
  function probed(set: SiteSet, changed: PublishOptions['changed']) {
    const whole = renderedOf(set);
    const probe = changed && renderProbe(whole, sitesIn(set, changed));
    const lines = probe ? { ...whole, spans: [...whole.spans, ...beyond(whole, probe)] } : whole;
    return { text: whole.text, probe: probe?.text, lines };
  }

  function askBy<T>(set: SiteSet, by: (proxyfile: string) => Promise<T>): Promise<T> {
    const rendered = renderedOf(set);
    return explained(by(rendered.text), rendered, set);
  }

  /** The vhost that a refusal names by its line, or by a file that only its config mentions. */
  async function nameIn(set: SiteSet, { at, detail = '' }: Failure, among: readonly Vhost[]) {
    if (at.vhost) return among.find(({ id }) => id === at.vhost?.id);
    const files = detail.match(/[\w.-]+\.\w+(?=[:\s]|$)/g) ?? [];
    const [suspect, ...others] = among.filter(({ config }) =>
      files.some((file) => config.includes(file)),
    );
    if (!suspect || others.length > 0) return undefined;
    return (await refusalOf(set, [suspect])) === null ? undefined : suspect;
  }

  return {
    digestOf: (set, of) => digestOf(renderedOf(set, of)),

    isOfAnyVersion: (set, digest) =>
      ERAS.some((era) => digestOf(renderSet(sent(set), era)) === digest),

    hasKeys: (set) => sent(set).certificates.every((one) => pairOf?.(one)),

    async prepare(set, changed) {
      const { text, probe, lines } = probed(set, changed);
      await explained(agent.validate(text, { probe }), lines, set, probe);
    },

    async publish(set, { changed, ...how } = {}) {
      const { text, probe, lines } = probed(set, changed);
      const certificates = pairsOf(set);
      const answer = explained(
        agent.reload(text, probe, { ...how, certificates }),
        lines,
        set,
        probe,
      );
      const { open = [], closed = [], unwritable = [] } = await answer.finally(() => ended++);
      noteLoaded({ closed, unwritable });
      return open;
    },

    published: () => ended,

    async check(set, changed = []) {
      const whole = renderedOf(set);
      await explained(agent.validate(whole.text), whole, set);
      const rendered = new Set(whole.spans.map(({ id }) => id));
      const hidden = changed.filter(({ id }) => !rendered.has(id));
      if (hidden.length > 0) await validate(set, hidden);
    },

    tryOut: (set, checks, change) =>
      askBy(set, (proxyfile) => agent.trial({ proxyfile, checks, change })),

    askBy,

    async findBroken(set, vhosts) {
      const found: Findings = { broken: [], unexamined: [] };
      const end = performance.now() + SEARCH_MS;
      async function search(among: readonly Vhost[]): Promise<void> {
        const [only] = among;
        if (!only) return;
        if (performance.now() > end) {
          found.unexamined.push(...among);
          return;
        }
        const error = await refusalOf(set, among);
        if (error === null) return;
        if (among === vhosts) await validate(set, []);
        const named = among.length === 1 ? only : await nameIn(set, error, among);
        if (named) found.broken.push({ vhost: named, failure: about(named, error) });
        const rest = among.filter((vhost) => vhost !== named);
        const middle = rest.length >> 1;
        await search(rest.slice(0, middle));
        await search(rest.slice(middle));
      }
      await search(vhosts);
      return found;
    },
  };
}

/** The text that a refusal is about; empty if that is not known. */
function textAt({ vhost, preamble }: Location, set: SiteSet): string {
  if (preamble) return set.preamble;
  return set.vhosts.find(({ id }) => id === vhost?.id)?.config ?? '';
}

const sitesIn = (set: SiteSet, vhosts: readonly Vhost[]): Site[] =>
  vhosts.map((vhost) => siteOf(vhost, set));

const digestOf = memoize(({ text }: Rendered) =>
  new Bun.CryptoHasher('sha256').update(text).digest('hex'),
);

/** A refusal of a probe with this vhost, in which the proxy need not have named it. */
function about({ id, domain }: Vhost, error: Failure): Failure {
  const { vhost = { id, domain }, policy, preamble } = error.at;
  return preamble ? error : error.about(policy ? { vhost, policy } : { vhost });
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
  const place = locate(rendered, line) ?? besideConfig(rendered, line);
  if (place) {
    const { policy, ...vhost } = place;
    return policy ? { vhost, policy } : { vhost };
  }
  const { preambleLine, headLines } = rendered;
  const isInside = line >= preambleLine && line <= headLines;
  return { preamble: isInside ? { line: line - preambleLine + 1 } : {} };
}

/** The vhost whose address line or closing brace, which the hub adds, is on a line. */
function besideConfig({ spans, headLines }: Rendered, line: number): Place | null {
  const span = line > headLines ? spans.findLast(({ first }) => first - 1 <= line) : undefined;
  return span ? { id: span.id, domain: span.domain, line: 1 } : null;
}
