/** Causes in what the service answers. Pure. */
import { type Facts, isCaddysError, pathOf, type Row, upstreamWith } from '../facts.ts';

/** Programs that refuse a request because of its `Host`. */
const BY_HOST = ['Nextcloud', 'Vite', 'Django', 'Rails', 'webpack'];
const REFUSALS = [400, 403, 421];

/** The line for the configuration of the program itself. */
const OWN_LINES: Readonly<Record<string, (facts: Facts) => string>> = {
  'Home Assistant': () =>
    'In its configuration.yaml: `http:` with `use_x_forwarded_for: true` and `trusted_proxies:` with the address that its log names as the proxy’s, such as `- 127.0.0.1`. Then restart it.',
  Nextcloud: ({ host }) =>
    `In its config.php: add '${host}' to 'trusted_domains', and Caddy’s address to 'trusted_proxies'.`,
  Vite: ({ host }) => `In its vite.config: \`server: { allowedHosts: ['${host}'] }\`.`,
  Django: ({ host }) => `In its settings.py: add '${host}' to ALLOWED_HOSTS.`,
  Rails: ({ host }) => `In its environment: \`config.hosts << "${host}"\`.`,
  webpack: ({ host }) => `In its configuration: \`devServer: { allowedHosts: ['${host}'] }\`.`,
};

const ownLine = (facts: Facts, app: string | null): string | undefined =>
  app === null ? undefined : OWN_LINES[app]?.(facts);

const isFine = (status: number | null): boolean =>
  status !== null && status < 500 && !REFUSALS.includes(status);

const isRefused = ({ asked }: Facts): boolean =>
  asked?.landed != null && REFUSALS.includes(asked.landed) && asked.by !== null;

/** A redirect of a site of plain HTTP to the same name by HTTPS, where Caddy serves nothing. */
const leavesHttp = ({ asked, tls }: Facts): boolean =>
  asked?.leads === 'unserved' && !tls && (asked.location ?? '').startsWith('https:');

const ELSEWHERE = new Set<string | null>(['upstream', 'inside', 'unserved']);

export const ANSWER: readonly Row[] = [
  {
    code: 'REDIRECT_LOOP',
    test(facts) {
      const { asked } = facts;
      if (asked?.leads === 'loop' && !asked.bySignIn) {
        return {
          words: `The service answers ${asked.status} with a redirect to ${asked.location}, which leads back to itself.`,
        };
      }
      return leavesHttp(facts)
        ? {
            words: `The service redirects to ${asked?.location}: behind something else that takes care of HTTPS, that leads back to itself.`,
            isDoubtful: true,
          }
        : null;
    },
  },
  {
    code: 'REDIRECT_ELSEWHERE',
    test(facts) {
      const { asked, host } = facts;
      if (asked?.by == null || !ELSEWHERE.has(asked.leads)) return null;
      const words = `The service redirects to ${asked.location}, where visitors of ${host} do not reach it.`;
      return { words, isDoubtful: asked.leads !== 'upstream' };
    },
  },
  {
    code: 'PROXY_NOT_TRUSTED',
    test(facts) {
      const { direct, asked } = facts;
      if (!isRefused(facts) || direct === null) return null;
      const { plain, named } = direct;
      if (!isFine(plain) || !isFine(named)) return null;
      const cure = ownLine(facts, asked?.app ?? null);
      return {
        words: `${asked?.app ?? 'The service'} answers ${asked?.landed} by way of Caddy, and ${named} without the headers X-Forwarded-…: it does not trust the proxy.`,
        ...(cure !== undefined && { cure }),
      };
    },
  },
  {
    code: 'HOST_REFUSED',
    test(facts) {
      const { direct, asked, host } = facts;
      if (!isRefused(facts) || asked === null) return null;
      const isProven = isFine(direct?.plain ?? null) && !isFine(direct?.named ?? null);
      if (!isProven && !BY_HOST.includes(asked.app ?? '')) return null;
      const line = ownLine(facts, asked.app);
      // With its own name, Nextcloud would send visitors there.
      const mayRename = isProven && asked.by !== null && asked.app !== 'Nextcloud';
      const renamed = 'Or let Caddy ask by the upstream’s own name.';
      return {
        words: `${asked.app ?? 'The service'} answers ${asked.landed} to requests for ${host}, and accepts only names that it knows.`,
        ...(line !== undefined && { cure: mayRename ? `${line} ${renamed}` : line }),
        ...(mayRename && { change: { address: asked.by ?? '', ownHost: true as const } }),
      };
    },
  },
  {
    code: 'TOO_LARGE',
    test(facts) {
      const { asked } = facts;
      if ([413, 414, 431].includes(asked?.landed ?? 0)) {
        const who = asked?.by ?? 'Caddy';
        return { words: `${who} answers ${asked?.landed}: the request is too large for it.` };
      }
      const upstream = upstreamWith(facts, ({ speaks }) => speaks === 'large');
      return upstream && (isCaddysError(facts) || asked?.fault != null)
        ? {
            words: `${upstream.address} sends headers of more than 64 KiB, or without an end, which Caddy refuses.`,
          }
        : null;
    },
  },
  {
    code: 'WEBSOCKET_REFUSED',
    test({ websocket, asked }) {
      if (websocket === null || websocket.here === 101) return null;
      const isOnlyHere = websocket.direct === 101;
      if (!isOnlyHere && asked?.landed !== 426) return null;
      return {
        words: `A websocket by way of Caddy is answered with ${websocket.here ?? 'nothing'}${isOnlyHere ? '; without Caddy it opens' : ''}.`,
      };
    },
  },
  {
    code: 'UPSTREAM_ERROR',
    test: ({ asked, path }) =>
      asked?.by && !asked.bySignIn && (asked.landed ?? 0) >= 500
        ? {
            words: `The service at ${asked.by} answers GET ${pathOf(path)} with ${asked.landed} itself.`,
          }
        : null,
  },
];
