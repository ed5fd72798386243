/** Stands for every upstream and sign-in service of a replay, and says who it was asked as. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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

/**
 * @param header in which a trial names the upstream, and this answers
 * @param identity the names of the headers that sign-in services add
 */
export async function startEcho(header: string, identity: readonly string[]): Promise<Echo> {
  const wanted = header.toLowerCase();
  let isSignedIn = false;
  // Not Bun.serve, which resolves the dots of a path.
  const server = createServer(({ headers, url = '' }, response) => {
    const name = headers[wanted];
    if (typeof name !== 'string') {
      response.writeHead(404).end();
      return;
    }
    const isSignIn = name.startsWith(MARK.signIn);
    const given = identity.flatMap((one) => {
      const value = headers[one];
      return value === undefined ? [] : [`${one}: ${value}`];
    });
    const echoed: Echoed = {
      ...{ to: name.slice(1), isSignIn, path: url },
      user: given.join('\n'),
    };
    const added = isSignIn && isSignedIn ? identity.map((one) => [one, SOMEBODY]) : [];
    response
      .writeHead(isSignIn && !isSignedIn ? 401 : 200, {
        ...Object.fromEntries(added),
        [header]: encodeURIComponent(JSON.stringify(echoed)),
      })
      .end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    signIn(value) {
      isSignedIn = value;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
