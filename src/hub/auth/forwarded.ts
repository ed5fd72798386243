/** Where a request came from, behind a reverse proxy too. */
import { plain } from '../../shared/loopback.ts';
import { lastHop } from './address.ts';

export type ForwardedDeps = {
  /** Believe the last hop of `X-Forwarded-For`, and `X-Forwarded-Proto`. */
  trustProxy: boolean;
  /** The address at the other end of a request's socket. */
  peerOf: (request: Request) => string;
};

export type Forwarded = {
  /** Whether the client used HTTPS. */
  isHttps: (request: Request) => boolean;
  /** The client's address. */
  addressOf: (request: Request) => string;
};

/** Never throws: a header that makes no sense is ignored. */
export function createForwarded({ trustProxy, peerOf }: ForwardedDeps): Forwarded {
  const header = (request: Request, name: string) =>
    trustProxy ? request.headers.get(name) : null;
  return {
    isHttps(request) {
      const scheme = header(request, 'x-forwarded-proto')?.split(',').at(-1)?.trim();
      return /^https:?$/i.test(scheme ?? URL.parse(request.url)?.protocol ?? '');
    },
    addressOf: (request) => lastHop(header(request, 'x-forwarded-for')) ?? plain(peerOf(request)),
  };
}
