/** The names by which Caddy's admin endpoint knows the agent, and which of them to use when. */
import { createHmac } from 'node:crypto';
import { statSync } from 'node:fs';
import { listeningInodes } from './ports/sockets.ts';

/** What a request to the admin endpoint says about itself; `origin` is null for a plain request. */
export type Identity = Readonly<{ host: string; origin: string | null }>;

/** Whose names a request may carry. */
export type IdentityDeps = {
  /** As in a Caddyfile's `admin` option. */
  address: string;
  /** The agent's secret name. */
  secret: string;
  /** If another program starts the proxy: the origins that its own Caddyfile asks for. */
  foreign?: () => Promise<readonly string[]>;
};

type Identities = {
  /** The identity to use next, or null if it has to be found out with `candidates`. */
  known(): Identity | null;
  /**
   * In the order in which to try them. A proxy that may have been started from a file is not shown
   * a secret before it has refused everything else, because it writes refused names into its log.
   */
  candidates(): Promise<Identity[]>;
  /** Remembers that the proxy accepted this identity, or that it no longer does. */
  remember(identity: Identity | null): void;
};

const SUFFIX = '.signalbox.invalid';
/** 192 bits in hexadecimal; a DNS label has at most 63 characters. */
const LABEL_LENGTH = 48;

/** The path of an admin endpoint on a unix socket; null if it is on TCP. */
export const socketOf = (address: string): string | null =>
  address.startsWith('unix/') ? address.slice('unix/'.length) : null;

/** Matches each secret name, for whatever must not show one. */
export const SECRET_NAME = `[0-9a-f]{${LABEL_LENGTH}}\\.signalbox\\.invalid`;

/**
 * The secret name that belongs to an agent's token. Derived, so that it is stored nowhere, and an
 * agent that was killed can still control its proxy.
 */
export const secretName = (token: string): string =>
  createHmac('sha256', token).update('caddy admin origin').digest('hex').slice(0, LABEL_LENGTH) +
  SUFFIX;

/** The origins that are not an agent's secret. */
export const withoutSecrets = (origins: readonly string[]): string[] =>
  origins.filter((origin) => !origin.endsWith(SUFFIX));

export function createIdentities({ address, secret, foreign }: IdentityDeps): Identities {
  const own = identityOf(secret);
  // Before 2.10, Caddy wants an empty Host on a unix socket and answers 403 to any other.
  const plain = { host: socketOf(address) === null ? address : '', origin: null };
  let last: { identity: Identity; listener: string | null } | null = null;

  return {
    known() {
      if (last === null || (foreign && last.listener !== listenerOf(address))) return null;
      return last.identity;
    },
    async candidates() {
      if (!foreign) return [own];
      return [plain, ...(await foreign()).map(identityOf), own];
    },
    remember(identity) {
      last = identity && { identity, listener: foreign ? listenerOf(address) : null };
    },
  };
}

/** An origin may be written with or without its scheme. */
function identityOf(origin: string): Identity {
  const host = origin.replace(/^[a-z]+:\/\//i, '');
  return { host, origin: host === origin ? `https://${host}` : origin };
}

/** What changes when another process listens there; null if this machine cannot tell. */
function listenerOf(address: string): string | null {
  try {
    const socket = socketOf(address);
    if (socket === null) {
      return listeningInodes(Number(address.slice(address.lastIndexOf(':') + 1))).join() || null;
    }
    const { ino, ctimeMs } = statSync(socket);
    return `${ino} ${ctimeMs}`;
  } catch {
    return null;
  }
}
