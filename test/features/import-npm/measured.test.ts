// proof: nginx
/** Whether nginx on this machine, with the files of Nginx Proxy Manager, answers as that did when it was measured. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startLan } from '../../harness/lan.ts';
import {
  HAS_IPV6,
  HAS_NGINX,
  measured,
  movedPort,
  type Nginx,
  SOURCES,
  startNginx,
} from '../../harness/npm.ts';
import { type Visit, visitAll } from '../../harness/visits.ts';

type Measured = {
  req: string;
  status?: number;
  location?: string;
  upstream?: string;
  upstream_url?: string;
  body?: string;
};

/** `POST http://HOST/PATH from SOURCE websocket UA agent {"header":"value"} as name:password` */
const REQUEST =
  /^(?:(\w+) )?(https?):\/\/([^/]+)(\S+) from (\w+)( websocket)?(?: UA (\S+))?(?: (\{.*\}))?(?: as (.*))?$/s;

function visitOf({ req }: Measured): Visit | null {
  const [
    ,
    method = 'GET',
    scheme = '',
    host = '',
    path = '',
    from = '',
    websocket,
    agent,
    headers,
    as,
  ] = REQUEST.exec(req) ?? [];
  if (!(from in SOURCES)) return null;
  return {
    scheme,
    method,
    host,
    path,
    from: from as keyof typeof SOURCES,
    as,
    headers: { ...JSON.parse(headers ?? '{}'), ...(agent && { 'User-Agent': agent }) },
    isWebsocket: websocket !== undefined,
  };
}

/** Every object below that was a request. */
function requestsIn(value: unknown): Measured[] {
  if (typeof value !== 'object' || value === null) return [];
  return 'req' in value ? [value as Measured] : Object.values(value).flatMap(requestsIn);
}

describe.skipIf(!HAS_NGINX)('nginx with the files of Nginx Proxy Manager', () => {
  let nginx: Nginx;
  let stopLan: () => void;
  beforeAll(async () => {
    [nginx, stopLan] = await Promise.all([startNginx(), startLan()]);
  });
  afterAll(async () => {
    stopLan();
    await nginx.stop();
  });

  test('answers each request as measured', async () => {
    const { hosts, default_site, extra } = measured();
    const expected = requestsIn([hosts, default_site.redirect, extra]).flatMap((one) => {
      const asked = HAS_IPV6 || !one.req.includes('//v6.') ? visitOf(one) : null;
      return asked ? [{ ...one, asked }] : [];
    });
    expect(expected.length).toBeGreaterThan(200);
    const seen = await visitAll(
      nginx,
      expected.map(({ asked }) => asked),
    );
    const differences = expected.flatMap(({ asked, ...was }, index) => {
      const now = seen[index];
      // What sites that are off, or refused, answer: another one was set for unknown names then.
      const isUnknown = now?.location === default_site.redirect.measured[0].location;
      if (isUnknown && (was.status === 404 || was.body?.startsWith('<!DOCTYPE html>'))) return [];
      const before = {
        status: was.status ?? 0,
        location: was.location ?? null,
        // It was read from the answer, which one host filters; of a websocket, without a scheme.
        upstream: was.upstream
          ?.replace('subfilter.example.com:8080', `127.10.0.5:${movedPort(8080)}`)
          .replace(/^(?=\d)/, 'http://'),
        url: was.upstream_url,
      };
      const after = {
        status: now?.status,
        location: now?.location,
        upstream: now?.got?.upstream,
        url: was.status === 101 ? undefined : now?.got?.url,
      };
      return Bun.deepEquals(before, after) ? [] : [{ req: was.req, before, after }];
    });
    expect(differences).toEqual([]);
  });
});
