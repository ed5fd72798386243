/** Adds the agent's admin endpoint, loggers, `@id`, delay for websockets and the hub's certificates to an adapted configuration. Pure. */
import { dirname } from 'node:path';
import { field, type Json, type JsonObject, list, object } from '../../../src/shared/json.ts';
import { ACCESS_LOGGER, ERROR_LOGGER } from '../admin.ts';
import { SECRET_NAME } from '../identity.ts';
import { type Listener, nameOf, parseName } from '../ports/ports.ts';
import { type KeptStamp, withKept } from './kept.ts';
import { withStreamDelay } from './stream-delay.ts';

/** The admin endpoint, as a Caddyfile writes its address, and the only origins that it lets in. */
type AdminStamp = { listen: string; origins: readonly string[] };

/** How Caddy writes the access log. */
export type AccessLogStamp = {
  file: string;
  rollMb: number;
  /** Rolled files, and days, to keep; null: all. */
  keep: number | null;
  days: number | null;
  /** Whether the agent packs and deletes the rolled files; if not, Caddy does it. */
  isKept?: boolean;
};

/** What the agent writes into every configuration that it loads. */
export type Stamp = {
  /** SHA-256 of the Caddyfile that this was adapted from. */
  digest: string;
  /** The hub that it is for; null if none said so. */
  hub: string | null;
  /** The listeners of that Caddyfile that are left out. */
  closed?: readonly Listener[];
  /** Whether certificates that it names are missing. */
  lacking?: boolean;
  admin: AdminStamp;
  /** The folder where Caddy keeps certificates; null: its own. */
  storage: string | null;
  accessLog: AccessLogStamp;
  /** How long websockets outlive this configuration, such as `24h`; null: not at all. */
  streamDelay?: string | null;
  /** The certificates that the hub keeps; absent: none. */
  kept?: KeptStamp;
};

const ACCESS = 'http.log.access';

/** The loggers for certificates, including issued ones. */
const CERTIFICATES = ['tls.obtain', 'tls.renew', 'tls.issuance'];

/** The loggers for failed requests, health checks and certificates. */
const ERRORS = ['http.log.error', 'http.handlers.reverse_proxy.health_checker', ...CERTIFICATES];

/** The errors of Caddy's other TLS loggers: why it gave a certificate up. The rest is of no interest. */
const TLS_LOGGER = 'signalbox_tls';

/** The loggers that the agent adds; all write to files in the folder of the access log. */
export const LOGGERS = [ACCESS_LOGGER, ERROR_LOGGER, TLS_LOGGER];

/** Only the newest errors are ever read. */
const ERROR_LOG_MB = 10;

/**
 * The path of the error log: beside the access log, where the proxy is known to have access, and with
 * its folder spelled the same.
 */
export const errorLogOf = (accessLog: string): string =>
  `${dirname(accessLog)}/signalbox-errors.log`;

/** By default Caddy deletes all but 10 rolled files, and those of more than 90 days. */
const ALL_FILES = 1_000_000;
const ALL_DAYS = 36_500;

/** The configuration that a managed Caddy starts with: nothing but its admin endpoint. */
export const bootConfig = (stamp: AdminStamp): JsonObject => ({
  admin: adminOf(stamp),
  logging: { logs: withoutAdmin({}) },
});

/** Not persisted: the file that Caddy saves by default would hold the secret. */
const adminOf = ({ listen, origins }: AdminStamp): JsonObject => ({
  listen,
  enforce_origin: true,
  origins: [...origins],
  config: { persist: false },
});

/**
 * Overwrites the whole admin object, so that no configuration can move or switch off the endpoint
 * that the agent uses, and adds one access logger for all sites: one logger per site is 16 times
 * slower at 1,000 sites, and a site without one would not be logged. A second logger collects
 * errors.
 * @returns a new object
 */
export function patchConfig(given: JsonObject, stamp: Stamp): JsonObject {
  const adapted = stamp.kept ? withKept(given, stamp.kept) : given;
  const logging = object(adapted.logging);
  const logs = withoutAdmin(object(logging.logs));
  const fallback = { ...object(logs.default) };
  if (fallback.include === undefined) fallback.exclude = withoutAccess(fallback.exclude);
  const errors = {
    writer: {
      output: 'file',
      filename: errorLogOf(stamp.accessLog.file),
      roll_size_mb: ERROR_LOG_MB,
      roll_keep: 1,
    },
    encoder: { format: 'json' },
  };
  return {
    ...adapted,
    admin: adminOf(stamp.admin),
    ...(stamp.storage !== null && {
      storage: { module: 'file_system', root: stamp.storage },
    }),
    logging: {
      ...logging,
      logs: {
        ...logs,
        default: fallback,
        [ACCESS_LOGGER]: {
          '@id': stampId(stamp),
          writer: {
            output: 'file',
            filename: stamp.accessLog.file,
            ...rollOf(stamp.accessLog),
          },
          encoder: { format: 'json' },
          include: [ACCESS],
        },
        [ERROR_LOGGER]: { ...errors, include: ERRORS },
        [TLS_LOGGER]: { ...errors, level: 'ERROR', include: ['tls'], exclude: CERTIFICATES },
      },
    },
    ...(adapted.apps === undefined
      ? {}
      : { apps: patchApps(object(adapted.apps), stamp.streamDelay ?? null) }),
  };
}

const rollOf = ({ rollMb, keep, days, isKept }: AccessLogStamp): JsonObject => ({
  roll_size_mb: rollMb,
  // Also if the agent does it: without an agent, the disk must not fill up.
  roll_keep: keep ?? ALL_FILES,
  roll_keep_days: isKept ? ALL_DAYS : (days ?? ALL_DAYS),
  ...(isKept && { roll_gzip: false }),
});

/**
 * Every site logs its requests. No `shutdown_delay`: a load that closes a port would wait that long,
 * and Caddy's admin endpoint would not answer meanwhile.
 */
function patchApps(apps: JsonObject, streamDelay: string | null): JsonObject {
  const { shutdown_delay: _, ...http } = object(apps.http);
  if (http.servers === undefined) return apps.http === undefined ? apps : { ...apps, http };
  const servers: JsonObject = {};
  for (const [name, server] of Object.entries(object(http.servers))) {
    const { skip_hosts: _, skip_unmapped_hosts: __, ...logs } = object(object(server).logs);
    const patched = { ...object(server), logs };
    servers[name] = streamDelay === null ? patched : withStreamDelay(patched, streamDelay);
  }
  return { ...apps, http: { ...http, servers } };
}

/** The default logger must not write access entries a second time. */
function withoutAccess(exclude: Json | undefined): Json[] {
  return [
    ...list(exclude).filter((name) => name !== ACCESS && !String(name).startsWith(`${ACCESS}.`)),
    ACCESS,
  ];
}

const ADMIN = 'admin';

/**
 * Keeps the secret out of every log: Caddy logs the names in each admin request, and which ones it
 * lets in. 2.6.2 writes those entries to the default logger whatever that excludes, so the names are
 * removed from them as well.
 */
function withoutAdmin(logs: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const [name, log] of Object.entries({ default: {}, ...logs })) {
    const { include, exclude, ...rest } = object(log);
    const others = list(include).filter((one) => !/^admin(\.|$)/.test(String(one)));
    if (others.length > 0) kept[name] = { ...object(log), include: others };
    else if (name === 'default' || list(include).length === 0)
      kept[name] = { ...rest, exclude: [...list(exclude), ADMIN] };
  }
  const encoder = field(kept.default, 'encoder') ?? { format: 'json' };
  const redact = { filter: 'regexp', regexp: SECRET_NAME, value: 'REDACTED' };
  const remove = { filter: 'delete' };
  const fields = { host: redact, error: redact, headers: remove, origins: remove };
  const redacted = { format: 'filter', wrap: encoder, fields };
  return { ...kept, default: { ...object(kept.default), encoder: redacted } };
}

/**
 * What is live: the digest of its Caddyfile, the hub that it is for (null if none said so), the
 * listeners of that text that it does without, and whether it lacks certificates that the text names.
 */
type LiveStamp = { digest: string; hub: string | null; closed: Listener[]; lacking: boolean };

type StampParts = Pick<LiveStamp, 'digest' | 'hub'> & {
  closed?: readonly Listener[];
  lacking?: boolean;
};

/** No listener is called so. */
const LACKING = 'lacking';

/**
 * The `@id` that the agent writes into what it loads: `rev-DIGEST-hub-ID`, followed by `lacking` and each
 * closed listener, after a semicolon.
 */
export function stampId({ digest, hub, closed = [], lacking = false }: StampParts): string {
  const revision = hub === null ? `rev-${digest}` : `rev-${digest}-hub-${hub}`;
  return [revision, ...(lacking ? [LACKING] : []), ...closed.map(nameOf)].join(';');
}

/** The id in a configuration as JSON text; null if it has none. @throws SyntaxError */
export function idIn(json: string): string | null {
  const id = field(JSON.parse(json) as Json, 'logging', 'logs', ACCESS_LOGGER, '@id');
  return typeof id === 'string' ? id : null;
}

/** @returns null for an id that `stampId` did not make */
export function parseStampId(id: string | null): LiveStamp | null {
  const [revision = '', ...names] = id?.split(';') ?? [];
  const [, digest, hub = null] =
    /^rev-([0-9a-f]{64})(?:-hub-([0-9a-f]{32}))?$/.exec(revision) ?? [];
  if (digest === undefined) return null;
  return { digest, hub, closed: names.flatMap(parseName), lacking: names.includes(LACKING) };
}
