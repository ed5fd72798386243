/** Makes Caddy open the agent's own logs again. */
import { basename, dirname, normalize } from 'node:path';
import { field, type Json, type JsonObject, object } from '../../../src/shared/json.ts';
import { ACCESS_LOGGER, type Admin, AdminUnreachable } from '../admin.ts';
import { LOGGERS } from '../config/patch.ts';

export type LogReopener = {
  /**
   * Makes the proxy open the agent's logs again.
   * @returns false if it does not write to them
   * @throws AdminUnreachable
   */
  reopenLogs(): Promise<boolean>;
  /** The path of the access log as the live configuration spells it. @param live as JSON text */
  spelling(live: string): string;
};

/** @param file the path of the access log @param reopened called once it did */
export function createLogReopener(
  admin: Pick<Admin, 'config' | 'load'>,
  file: string,
  reopened: () => void,
): LogReopener {
  /** Null before the first look. */
  let spelled: string | null = null;

  return {
    async reopenLogs() {
      const live = JSON.parse(await admin.config()) as JsonObject | null;
      if (live === null || spellingIn(live, file) === null) return false;
      const next = withOtherSpelling(live);
      const { error } = await admin.load(JSON.stringify(next));
      if (error !== null) throw new AdminUnreachable(error);
      reopened();
      spelled = spellingIn(next, file);
      return true;
    },

    spelling(live) {
      spelled ??= spellingIn(JSON.parse(live) as Json, file);
      return spelled ?? file;
    },
  };
}

/** Null if it has none there. */
function spellingIn(live: Json, file: string): string | null {
  const found = field(live, 'logging', 'logs', ACCESS_LOGGER, 'writer', 'filename');
  return typeof found === 'string' && normalize(found) === normalize(file) ? found : null;
}

/**
 * The configuration with another spelling of the files of the agent's own loggers. It makes Caddy open
 * them again: it keeps one open file for each spelling of a path for as long as it runs, even if that
 * file is gone (2.6.2 to 2.11.4).
 */
function withOtherSpelling(live: JsonObject): JsonObject {
  const logging = object(live.logging);
  const logs = { ...object(logging.logs) };
  for (const name of LOGGERS) {
    const logger = object(logs[name]);
    const writer = object(logger.writer);
    const filename = otherSpelling(String(writer.filename));
    if (name in logs) logs[name] = { ...logger, writer: { ...writer, filename } };
  }
  return { ...live, logging: { ...logging, logs } };
}

const otherSpelling = (file: string): string => `${dirname(file)}/./${basename(file)}`;
