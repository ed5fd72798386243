/** Adapts, checks and validates a Caddyfile before it is loaded. */
import { needsOwnProcess } from './adapt.ts';
import type { Admin } from './admin.ts';
import type { JsonObject } from './json.ts';
import { assertRegularFiles } from './named-files.ts';
import type { Restrictions } from './restrictions.ts';
import type { Validator } from './validate.ts';
import { Restricted, rejected } from './words.ts';

export type PrepareDeps = {
  admin: Admin;
  validator: Validator;
  /** Adapts a text in a separate process. @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE */
  adaptApart: (text: string) => Promise<JsonObject>;
  /** Caddy's variables. */
  env: Readonly<Record<string, string>>;
  restrictions: Restrictions;
};

export type Preparation = {
  /**
   * Adapts and checks what is to be loaded.
   * @param trusted leaves out the checks
   * @throws Failure PROXY_REJECTED
   */
  adapt(text: string, trusted?: boolean): Promise<JsonObject>;
  /**
   * Validates `text` once its adaptation shows that Caddy may read it and the files it names.
   * @param preparing the adaptations of `text`, and of the whole that it is part of
   * @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE
   */
  validate(text: string, preparing: readonly (Promise<unknown> | null)[]): Promise<void>;
};

export function createPreparation(deps: PrepareDeps): Preparation {
  const { admin, validator, restrictions } = deps;

  /** Adapts in the live proxy: at 1,000 sites this takes a third of the time of a new process. */
  async function adaptLive(text: string): Promise<JsonObject> {
    const answer = await admin.adapt(text);
    if (answer.error !== null) throw rejected(answer.error);
    return (JSON.parse(answer.text) as { result: JsonObject }).result;
  }

  return {
    async adapt(text, trusted = false) {
      const config = needsOwnProcess(text) ? await deps.adaptApart(text) : await adaptLive(text);
      if (!trusted) {
        restrictions.checkConfig(config, text);
        assertRegularFiles(config, deps.env);
      }
      return config;
    },

    async validate(text, preparing) {
      for (const result of await Promise.allSettled(preparing)) {
        if (result.status === 'rejected' && result.reason instanceof Restricted) {
          throw result.reason;
        }
      }
      await validator.validate(text);
    },
  };
}
