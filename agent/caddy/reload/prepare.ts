/** Adapts, checks and validates a Caddyfile before it is loaded, and remembers which one was checked last. */
import type { JsonObject } from '../../../src/shared/json.ts';
import type { Admin } from '../admin.ts';
import { needsOwnProcess } from '../config/adapt.ts';
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
  /** Whether the last whole text was. */
  let wasPlain = true;

  /** Adapts in the live proxy: at 1,000 sites this takes a third of the time of a new process. */
  async function adaptLive(text: string): Promise<JsonObject> {
    const answer = await admin.adapt(text);
    if (answer.error !== null) throw rejected(answer.error);
    return (JSON.parse(answer.text) as { result: JsonObject }).result;
  }

  const adaptOnly = (text: string) =>
    needsOwnProcess(text) ? deps.adaptApart(text) : adaptLive(text);

  async function adapt(text: string, trusted: boolean): Promise<JsonObject> {
    const config = await adaptOnly(text);
    if (!trusted) restrictions.checkConfig(config, text);
    return config;
  }

  /**
   * Validates `text` once it is known that Caddy may read it and the files that it names, unless it is plain.
   * @param own what it is adapted to; null if that is not known
   */
  async function validate(
    text: string,
    whole: Promise<JsonObject>,
    own: Promise<JsonObject> | null,
  ): Promise<void> {
    const results = await Promise.allSettled([own, whole]);
    for (const result of results) {
      if (result.status === 'rejected' && result.reason instanceof Restricted) {
        throw result.reason;
      }
    }
    const [known] = results;
    if (known.status === 'rejected' || !isPlain(known.value)) await validator.validate(text);
  }

  /** What a probe has beyond the end of the text is not part of the text. */
  const isBeyond = (text: string, probe: string): boolean => countLines(probe) > countLines(text);

  return {
    async assertAllowed(text, probe) {
      await restrictions.checkText(text);
      if (probe !== undefined) await restrictions.checkText(probe);
    },

    async prepare(text, probe = text, trusted = false) {
      const adapting = adapt(text, trusted);
      const plain = adapting.then(isPlain, () => false);
      const reachesBeyond = isBeyond(text, probe);
      const isPart = probe !== text && !reachesBeyond;
      // Then there is nothing to ask about a part of it.
      const isEnough = isPart && wasPlain && (await plain);
      void plain.then((is) => {
        wasPlain = is;
      });
      if (isEnough) {
        const config = await adapting;
        return { config, own: await readOwnTls(text, config, adaptOnly) };
      }
      // In a process of its own that takes as long as a validation.
      const isWorth = reachesBeyond || !needsOwnProcess(probe);
      const probing = probe === text ? adapting : isWorth ? adapt(probe, trusted) : null;
      const [valid, adapted, tried, own] = await Promise.allSettled([
        validate(probe, adapting, probing),
        adapting,
        reachesBeyond ? probing : null,
        adapting.then((config) => readOwnTls(text, config, adaptOnly)),
      ]);
      settled(valid);
      settled(tried);
      return { config: settled(adapted), own: settled(own) };
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
