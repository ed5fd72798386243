/** What is asked of all trials: one question for all requests that they must answer alike. */
import { isIP } from 'node:net';
import { createPauses } from '../../../src/shared/async.ts';
import type { LoggedRequest } from '../../logs/answers/distinct.ts';
import type { Side } from './config/side.ts';
import type { LeftOut } from './left-out.ts';

export type Question = {
  tls: boolean;
  /** The host that a site is chosen by, and the port where visitors came in. */
  host: string;
  port: number;
  /** The address to ask from; null: any. */
  as: string | null;
  bytes: Buffer;
  /** Whether a response may have a body. */
  hasBody: boolean;
  requests: LoggedRequest[];
};

/** Their values are not in the log, see `SECRET_HEADERS` of Caddy (Caddy docs, `log`). */
const SECRETS = ['cookie', 'authorization', 'proxy-authorization'];
const REDACTED = 'REDACTED';

/** They say where a request ends, and it is asked without a body. */
const FRAMING = ['content-length', 'transfer-encoding'];
/** Characters of a header; the echo does not take much more. */
const LONGEST = 8_192;

const WITHOUT_SECRET = 'The site goes by a cookie or a password, which the log does not hold';
const CERTIFICATE = 'The site asks for a client certificate';
const SOCKET = 'The site listens on no TCP port';
const NO_ADDRESS = 'The log has no address of the visitor';
const NO_REQUEST = 'A header that the site goes by cannot be sent again';

/** The headers by which requests differ. */
export const headersOf = (sides: readonly Side[]): string[] => [
  ...new Set(sides.flatMap(({ headers }) => [...headers])),
];

/**
 * @param knowsAddresses whether Caddy can be told them
 * @param pass the line that lets a request in
 */
export async function questionsIn(
  requests: readonly LoggedRequest[],
  sides: readonly Side[],
  { knowsAddresses, pass }: { knowsAddresses: boolean; pass: string },
  leaveOut: LeftOut['add'],
): Promise<Question[]> {
  const found = new Map<string, Question>();
  const pause = createPauses();
  for (const request of requests) {
    await pause();
    const { tls, method } = request;
    const { host, port } = addressOf(request, sides);
    const needs = sides.map((side) => side.needsOf(host));
    const names = [...new Set(needs.flatMap(({ headers }) => [...headers]))].toSorted();
    const reason = whyNot(request, host, names, sides);
    const isByAddress = knowsAddresses && needs.some(({ address }) => address);
    // A matcher for addresses does not know the zone of a link-local one (Caddy docs, `remote_ip`).
    const as = isByAddress ? request.remoteIp.replace(/%.*$/, '') : null;
    if (reason !== null || (as !== null && isIP(as) === 0)) {
      leaveOut(reason ?? NO_ADDRESS, request.count);
      continue;
    }
    const text = textOf(request, names, pass);
    const key = `${tls} ${port} ${as} ${text}`;
    const known = found.get(key);
    if (known) known.requests.push(request);
    else {
      const bytes = Buffer.from(text);
      const hasBody = method !== 'HEAD';
      found.set(key, { tls, host, port, as, bytes, hasBody, requests: [request] });
    }
  }
  return [...found.values()];
}

function whyNot(
  { tls, headers }: LoggedRequest,
  host: string,
  names: readonly string[],
  sides: readonly Side[],
): string | null {
  if (tls && sides.some((side) => side.asksForCertificate(host))) return CERTIFICATE;
  if (sides.some((side) => side.isOnSocket(host))) return SOCKET;
  const isSecret = (name: string) => SECRETS.includes(name) && headers[name]?.includes(REDACTED);
  if (names.some(isSecret)) return WITHOUT_SECRET;
  const isUnsafe = (name: string) =>
    headers[name]?.some(
      (one) =>
        /[\0\r\n]/.test(one) || one.length > LONGEST || (FRAMING.includes(name) && one !== '0'),
    );
  return names.some(isUnsafe) ? NO_REQUEST : null;
}

/** A port in the `Host` counts if something listens there; of several proxies in a row, it may be another's. */
function addressOf({ host, tls }: LoggedRequest, sides: readonly Side[]) {
  const [, name = '', digits] = /^(.*?)(?::(\d*))?$/s.exec(host) ?? [];
  const isBare = /^[^[]*:.*:/.test(host);
  const own = sides.map((side) => side.ports(tls)).find((ports) => ports.length > 0) ?? [];
  const said = Number(digits || (tls ? 443 : 80));
  return {
    host: isBare ? host : name,
    port: own.includes(said) ? said : (own[0] ?? said),
  };
}

function textOf(
  { method, uri, host, headers }: LoggedRequest,
  names: readonly string[],
  pass: string,
): string {
  const lines = names.flatMap((name) => (headers[name] ?? []).map((value) => `${name}: ${value}`));
  // Without it, Caddy would refuse some methods that have a body.
  const length = ['GET', 'HEAD', 'OPTIONS'].includes(method) ? [] : ['Content-Length: 0'];
  return [`${method} ${uri} HTTP/1.1`, `Host: ${host}`, pass, ...lines, ...length, '', ''].join(
    '\r\n',
  );
}
