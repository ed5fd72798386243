/** What another program of Caddy does with a Caddyfile. */
import { Failure } from '../../../src/shared/failure.ts';
import type { JsonObject } from '../../../src/shared/json.ts';
import { adaptApart, type CommandDeps } from '../config/adapt.ts';
import { type Restrictions, withRules } from '../config/restrictions.ts';
import { createValidator } from '../config/validate.ts';
import { createRunning, modulesOf } from './program.ts';

/** Another program of Caddy, of a version. */
export type NextProgram = {
  version: string | null;
  /** How its commands are run. */
  commands: CommandDeps;
  /** Those that it was built with; null if it cannot be asked. */
  modules(): Promise<string[] | null>;
  /** @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE */
  adapt(text: string): Promise<JsonObject>;
  /** Checks whether signalbox and the program accept a text. @throws as `adapt` */
  check(text: string): Promise<void>;
  /** What tells it from any other, as `program` of the one that runs. */
  mark: string | null;
};

/**
 * @param commands how its commands are run
 * @param rules what signalbox refuses, for a version of Caddy
 * @throws Failure NOT_FOUND if it cannot be asked
 */
export async function nextProgram(
  commands: CommandDeps,
  rules: (version: () => Promise<string | null>) => Restrictions,
): Promise<NextProgram> {
  const { version, mark } = await createRunning(commands, () => '')();
  if (mark === null) throw new Failure('NOT_FOUND', 'The program cannot be started any more.');
  const { checkText, checkConfig } = rules(async () => version);
  const adapt = (text: string) => adaptApart(text, commands);
  return {
    version,
    mark: withRules(mark),
    commands,
    adapt,
    modules: () => modulesOf(commands),
    async check(text) {
      await checkText(text);
      checkConfig(await adapt(text), text);
      await createValidator(commands).validate(text);
    },
  };
}
