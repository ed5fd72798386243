/**
 * Makes Caddy open its logs again: it keeps one open file for each spelling of a path for as long as
 * it runs, even if that file is gone (2.6.2 to 2.11.4). Pure.
 */
import { basename, dirname, normalize } from 'node:path';
import { ACCESS_LOGGER } from '../admin.ts';
import { field, type Json, type JsonObject, object } from '../json.ts';
import { LOGGERS } from '../patch.ts';

/** The path of the agent's access log as a live configuration spells it; null if it has none there. */
export function spellingIn(live: Json, file: string): string | null {
  const spelled = field(live, 'logging', 'logs', ACCESS_LOGGER, 'writer', 'filename');
  return typeof spelled === 'string' && normalize(spelled) === normalize(file) ? spelled : null;
}

/** The configuration with another spelling of the files of the agent's own loggers. */
export function withOtherSpelling(live: JsonObject): JsonObject {
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
