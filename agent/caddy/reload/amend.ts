/** Changes the agent's own parts of what is live: its secret name, and its logs. */
import { basename, dirname, normalize } from 'node:path';
import { field, type Json, type JsonObject, list, object } from '../../../src/shared/json.ts';
import { ACCESS_LOGGER, type Admin, AdminUnreachable } from '../admin.ts';
import { LOGGERS } from '../config/patch.ts';
import { withoutSecrets } from '../identity.ts';

type AmendDeps = {
  admin: Pick<Admin, 'config' | 'load' | 'secret'>;
  /** The path of the access log. */
  file: string;
  /** Called after each change. */
  amended: () => void;
};

export type Amend = {
  /**
   * After a change of the token, lets the current secret name into a live configuration that knows
   * the previous one, so that the agent can do without the previous token from then on.
   * @throws AdminUnreachable
   */
  renewSecret(): Promise<void>;
  /**
   * Makes the proxy open the agent's logs again.
   * @returns false if it does not write to them
   * @throws AdminUnreachable
   */
  reopenLogs(): Promise<boolean>;
  /** The path of the access log as the live configuration spells it. @param live as JSON text */
  spelling(live: string): string;
};

export function createAmend({ admin, file, amended }: AmendDeps): Amend {
  /** Null before the first look. */
  let spelled: string | null = null;

  const readLive = async () => JSON.parse(await admin.config()) as JsonObject | null;

  async function amend(live: JsonObject): Promise<void> {
    const { error } = await admin.load(JSON.stringify(live));
    if (error !== null) throw new AdminUnreachable(error);
    amended();
  }

  return {
    async renewSecret() {
      const live = await readLive();
      const origins = list(field(live, 'admin', 'origins')).map(String);
      const others = withoutSecrets(origins);
      if (others.length === origins.length || origins.includes(admin.secret)) return;
      const renewed = { ...object(live?.admin), origins: [admin.secret, ...others] };
      await amend({ ...live, admin: renewed });
    },

    async reopenLogs() {
      const live = await readLive();
      if (live === null || spellingIn(live, file) === null) return false;
      const reopened = withOtherSpelling(live);
      await amend(reopened);
      spelled = spellingIn(reopened, file);
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
