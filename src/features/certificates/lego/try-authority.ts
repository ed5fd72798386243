/**
 * An authority (RFC 8555) for one run of lego on this machine, which issues nothing: it only gets lego to
 * make the provider set the records of an order, and to remove them. No real authority is asked, so that
 * a wrong token costs none of its limits.
 */

type TryAuthority = {
  /** Where lego finds it, after the address; nobody can guess it. */
  readonly path: string;
  /** What to order from it: a wildcard has the record of its domain. */
  readonly names: readonly string[];
  answer(request: Request): Response;
  /** Whether lego has set the records of all names. */
  isDone(): boolean;
};

/** What a try ends with: it stands for no fault. */
export const TRIED = 'signalbox only tries the DNS provider';

/** A nonce is never compared: who knows the path is lego. */
const headers = { 'Replay-Nonce': 'signalbox', 'Cache-Control': 'no-store' };

const problem = (detail: string) => ({
  type: 'urn:ietf:params:acme:error:unauthorized',
  detail,
  status: 403,
});

/** @param names of an order */
export function createTryAuthority(names: readonly string[]): TryAuthority {
  const path = `/${crypto.randomUUID()}`;
  const hosts = [...new Set(names.map((name) => name.replace(/^\*\./, '')))];
  const tokens = hosts.map(() => crypto.randomUUID().replaceAll('-', ''));
  const reached = new Set<string>();

  return {
    path,
    names: hosts,
    isDone: () => reached.size === hosts.length,
    answer(request) {
      const url = new URL(request.url);
      if (!url.pathname.startsWith(`${path}/`)) return new Response(null, { status: 404 });
      const base = `${url.origin}${path}`;
      const [what, number = ''] = url.pathname.slice(path.length + 1).split('/');
      const json = (body: object, status = 200, more: Record<string, string> = {}) =>
        Response.json(body, { status, headers: { ...headers, ...more } });
      const at = Number(number);
      const host = hosts[at];
      const isTried = host !== undefined && reached.has(host);
      const challenge = {
        type: 'dns-01',
        url: `${base}/challenge/${at}`,
        token: tokens[at],
        ...(isTried ? { status: 'invalid', error: problem(TRIED) } : { status: 'pending' }),
      };
      switch (what) {
        case 'directory':
          return json({
            newNonce: `${base}/nonce`,
            newAccount: `${base}/account`,
            newOrder: `${base}/order`,
            revokeCert: `${base}/revoke`,
            keyChange: `${base}/key`,
          });
        case 'nonce':
          return new Response(null, { headers });
        case 'account':
          return json({ status: 'valid' }, 201, { Location: `${base}/account/0` });
        case 'order':
          return json(
            {
              status: 'pending',
              identifiers: hosts.map((value) => ({ type: 'dns', value })),
              authorizations: hosts.map((_, index) => `${base}/authorization/${index}`),
              finalize: `${base}/finalize`,
            },
            201,
            { Location: `${base}/order/0` },
          );
        case 'authorization':
          if (host === undefined) break;
          return json({
            status: isTried ? 'invalid' : 'pending',
            identifier: { type: 'dns', value: host },
            challenges: [challenge],
          });
        case 'challenge':
          if (host === undefined) break;
          // lego calls this once the record is set.
          reached.add(host);
          return json({ ...challenge, status: 'invalid', error: problem(TRIED) }, 200, {
            Link: `<${base}/authorization/${at}>;rel="up"`,
          });
      }
      return json(problem('There is nothing here.'), 404);
    },
  };
}
