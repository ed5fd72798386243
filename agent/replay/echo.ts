/** Stands for every upstream and sign-in service of a replay, and says who it was asked as. */
import { MARK } from './config/routes.ts';

export type Echo = {
  /** `host:port`; on loopback. */
  readonly address: string;
  /** Whether sign-in services let visitors in from now on. */
  signIn(isSignedIn: boolean): void;
  close(): Promise<void>;
};

/** What an upstream was asked. */
export type Echoed = {
  to: string;
  isSignIn: boolean;
  /** With its query. */
  path: string;
  /** The headers that a sign-in service adds, one per line; empty without any. */
  user: string;
};

/** What sign-in services say of a visitor who is signed in. */
const SOMEBODY = 'somebody';

/** Of a request's URL; what visitors send as `Host` need not make a valid one. */
const AUTHORITY = /^[a-z]+:\/\/[^/?#]*/;

/**
 * @param header in which a trial names the upstream, and this answers
 * @param identity the names of the headers that sign-in services add
 */
export function startEcho(header: string, identity: readonly string[]): Echo {
  let isSignedIn = false;
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    reusePort: false,
    fetch({ headers, url }) {
      const name = headers.get(header);
      if (name === null) return new Response(null, { status: 404 });
      const isSignIn = name.startsWith(MARK.signIn);
      const given = identity.flatMap((one) => {
        const value = headers.get(one);
        return value === null ? [] : [`${one}: ${value}`];
      });
      const echoed: Echoed = {
        ...{ to: name.slice(1), isSignIn, path: url.replace(AUTHORITY, '') },
        user: given.join('\n'),
      };
      const added = isSignIn && isSignedIn ? identity.map((one) => [one, SOMEBODY]) : [];
      return new Response(null, {
        status: isSignIn && !isSignedIn ? 401 : 200,
        headers: {
          ...Object.fromEntries(added),
          [header]: encodeURIComponent(JSON.stringify(echoed)),
        },
      });
    },
  });
  return {
    address: `127.0.0.1:${server.port}`,
    signIn(value) {
      isSignedIn = value;
    },
    close: () => server.stop(true),
  };
}
