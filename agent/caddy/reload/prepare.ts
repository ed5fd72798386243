/** Adapts, checks and validates a Caddyfile before it is loaded, and remembers which one was checked last. */
import { keptIn } from '../../../src/shared/caddyfile/kept-certificates.ts';
import type { JsonObject } from '../../../src/shared/json.ts';
import type { Admin } from '../admin.ts';
import { needsOwnProcess, weightOf } from '../config/adapt.ts';
import { type OwnTls, readOwnTls } from '../config/own-tls.ts';
import { isPlain } from '../config/plain.ts';
import type { Restrictions } from '../config/restrictions.ts';
import type { Validator } from '../config/validate.ts';
import { Restricted, rejected } from '../words.ts';

export type PrepareDeps = {
  admin: Admin;
  validator: Validator;
  /** Adapts a text in a separate process. @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE */
  adaptApart: (text: string) => Promise<JsonObject>;
  restrictions: Restrictions;
  /** The text that the proxy serves; null if there is none. */
  served: () => string | null;
};

/** What a text was adapted to, and which of its sites have a `tls` of their own, if it names kept certificates. */
export type Prepared = { config: JsonObject; own: OwnTls };

/** `probe`: the same text with the lines that need no validation left empty, and maybe more at its end. */
type Preparation = {
  /** Checks what can be checked before Caddy reads any file that they name. @throws Failure PROXY_REJECTED */
  assertAllowed(text: string, probe?: string): Promise<void>;
  /**
   * Adapts and checks what is to be loaded, and has it, or only the probe, validated.
   * @param trusted leaves out the checks
   * @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE
   */
  prepare(text: string, probe?: string, trusted?: boolean): Promise<Prepared>;
};

export function createPreparation(deps: PrepareDeps): Preparation {
  const { admin, validator, restrictions } = deps;
  /** What was weighed last: the text that is served, over and over, but for the change. */
  let weighed = { text: '', weight: 0 };

  /** Adapts in the live proxy: at 1,000 sites this takes a third of the time of a new process. */
  async function adaptLive(text: string): Promise<JsonObject> {
    const answer = await admin.adapt(text);
    if (answer.error !== null) throw rejected(answer.error, text);
    return (JSON.parse(answer.text) as { result: JsonObject }).result;
  }

  function mustBeApart(text: string): boolean {
    const served = deps.served() ?? '';
    if (weighed.text !== served) weighed = { text: served, weight: weightOf(served) };
    return needsOwnProcess(text, Number.isFinite(weighed.weight) ? weighed.weight : 0);
  }

  const adaptOnly = (text: string) => (mustBeApart(text) ? deps.adaptApart(text) : adaptLive(text));

  async function adapt(text: string, trusted: boolean): Promise<JsonObject> {
    const config = await adaptOnly(text);
    if (!trusted) restrictions.checkConfig(config, text);
    return config;
  }

  /** Has the probe of an adapted text validated, once Caddy may read it and the files that it names, unless it is plain. */
  async function validate(text: string, config: JsonObject, probe: string, trusted: boolean) {
    // What a probe has beyond the end of the text is not part of the text.
    const reachesBeyond = countLines(probe) > countLines(text);
    if (!reachesBeyond && isPlain(config)) return;
    // In a process of its own, adapting takes as long as a validation.
    if (probe !== text && (reachesBeyond || !mustBeApart(probe))) {
      if (isPlain(await adapt(probe, trusted))) return;
    }
    await validator.validate(probe);
  }

  return {
    async assertAllowed(text, probe) {
      await restrictions.checkText(text);
      if (probe !== undefined) await restrictions.checkText(probe);
    },

    async prepare(text, probe = text, trusted = false) {
      const config = await adapt(text, trusted).catch(async (error: unknown) => {
        // What is wrong with the change itself is said rather than what became of the rest.
        if (probe !== text && !(error instanceof Restricted)) await adapt(probe, trusted);
        throw error;
      });
      const [valid, own] = await Promise.allSettled([
        validate(text, config, probe, trusted),
        keptIn(text).length > 0 ? readOwnTls(text, config, adaptOnly) : new Map(),
      ]);
      settled(valid);
      return { config, own: settled(own) };
    },
  };
}

export function settled<T>(result: PromiseSettledResult<T>): T {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

const countLines = (text: string): number => text.split('\n').length;

/** A text, what was validated instead of it, and the program that did; null if it is not known. */
export type CheckedKey = { text: string; probe: string | undefined; program: string | null };

type Checked = {
  keep(key: CheckedKey, prepared: Prepared): void;
  /** What that text was adapted to; null if it was not checked like this. Only once. */
  take(key: CheckedKey): Prepared | null;
};

/** A hub that checks on several agents loads once the slowest of them has answered. */
const KEPT_MS = 60_000;

/** So that the reload that follows need not check it again. */
export function createChecked(): Checked {
  let last: (CheckedKey & { prepared: Prepared }) | null = null;
  let timer: Timer | undefined;

  function forget(): void {
    clearTimeout(timer);
    last = null;
  }

  return {
    keep(key, prepared) {
      forget();
      last = { ...key, prepared };
      timer = setTimeout(forget, KEPT_MS);
      timer.unref();
    },
    take({ text, probe, program }) {
      if (last?.text !== text || last.probe !== probe || last.program !== program) return null;
      const { prepared } = last;
      forget();
      return prepared;
    },
  };
}
