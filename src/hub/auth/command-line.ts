/**
 * The command line as a caller of the API, without a password: requests on a socket in the data folder,
 * which only its owner can open. If Caddy has the same user, a site could make it an upstream, so a
 * request must also carry a secret.
 */

import { bearerOf, isSame } from '../../shared/bearer.ts';
import { Failure } from '../../shared/failure.ts';
import { pathOf } from '../../shared/http.ts';

/** How the changelog and the log name it; there is no such account. */
export const COMMAND_LINE = { id: 'local', name: 'command line', role: 'owner' } as const;

type Handle = (request: Request) => Response | Promise<Response>;

export type CommandLine = {
  /** Answers the requests that arrive on the socket as `handle` answers those on the port. */
  onSocket(handle: Handle): Handle;
  /** Whether a request arrived on the socket, which nothing in the request itself can say. */
  isFrom(request: Request): boolean;
  /** @throws Failure UNAUTHENTICATED without the secret, FORBIDDEN where people sign in and out */
  assertAllowed(request: Request): void;
};

/** @param secret what a request has to carry as its bearer token */
export function createCommandLine(secret: string): CommandLine {
  const arrived = new WeakSet<Request>();
  return {
    onSocket: (handle) => (request) => {
      arrived.add(request);
      return handle(request);
    },
    isFrom: (request) => arrived.has(request),
    assertAllowed(request) {
      if (!isSame(bearerOf(request.headers) ?? '', secret)) {
        throw new Failure('UNAUTHENTICATED', 'The secret in DATA_DIR is required.');
      }
      if (pathOf(request).startsWith('/api/auth/')) throw noPerson();
    },
  };
}

/** Where only a person may do something. */
export const noPerson = () =>
  new Failure('FORBIDDEN', 'This requires a session, which the command line does not have.');
