/** Reads and writes cookies, above all the session's; the only file that uses `@elysiajs/cookie`. */
import { cookie } from '@elysiajs/cookie';
import { Elysia } from 'elysia';
import { bearerOf } from '../../../shared/bearer.ts';
import { isLoopbackHost } from '../../../shared/loopback.ts';

/** A cookie that no script of a page can read. */
export type OwnCookie = {
  /** Null if there is none. */
  value: string | null;
  write: (value: string, maxAgeSeconds: number) => void;
  expire: () => void;
};

/** What routes and guards find in their context as `sessionCookie`. */
export type SessionCookie = {
  /** The token from `Authorization: Bearer`, else from the cookie; null if there is neither. */
  presented: string | null;
  /** The token from `Authorization: Bearer` only. */
  bearer: string | null;
} & Omit<OwnCookie, 'value'>;

type CookieContext = {
  request: Request;
  set: { headers: Record<string, unknown> };
  cookie: Record<string, unknown>;
  setCookie: (name: string, value: string, options?: object) => void;
};

/**
 * Adds `sessionCookie` to the context, and `ownCookie` for others by their name.
 * The plugin (0.8 on Elysia 1.4) reaches the parent only as 'global', and its `removeCookie` forgets
 * the path and drops other cookies, so a cookie is expired by writing it with `maxAge` 0. It capitalises
 * the header, and Elysia would join several into one that browsers misread.
 */
export function createSessionCookies(isHttps: (request: Request) => boolean) {
  return new Elysia({ name: 'session-cookie' })
    .use(cookie().as('global'))
    .derive({ as: 'global' }, (context) => {
      const { request, set, cookie: cookies, setCookie } = context as unknown as CookieContext;
      const secure = isHttps(request);
      const port = portOnLoopback(request.headers);
      const options = { httpOnly: true, sameSite: 'lax', path: '/', secure };
      function write(name: string, value: string, maxAge: number): void {
        setCookie(name, value, { ...options, maxAge });
        set.headers['set-cookie'] = set.headers['Set-Cookie'];
      }
      function ownCookie(base: string): OwnCookie {
        // The prefix makes browsers reject it from a subdomain or over plain HTTP (RFC 6265bis 4.1.3).
        const plain = `${secure ? '__Host-' : ''}signalbox_${base}`;
        const name = secure ? plain : `${plain}${port}`;
        // The plain name is for clients that send what the API reference says, on loopback too.
        const own = cookies[name] ?? cookies[plain];
        return {
          value: typeof own === 'string' && own !== '' ? own : null,
          write: (text, maxAge) => write(name, text, maxAge),
          expire: () => write(name, '', 0),
        };
      }
      const bearer = bearerOf(request.headers);
      const { value, ...session } = ownCookie('session');
      const sessionCookie: SessionCookie = { bearer, presented: bearer ?? value, ...session };
      return { sessionCookie, ownCookie };
    });
}

/**
 * `_8080` for a hub at `localhost:8080`: browsers send a cookie to every port of a host (RFC 6265bis 8.5),
 * and several hubs may run on one machine. Empty elsewhere.
 */
function portOnLoopback(headers: Headers): string {
  const host = headers.get('host') ?? '';
  const port = isLoopbackHost(host) ? URL.parse(`http://${host}`)?.port : '';
  return port ? `_${port}` : '';
}

export type SessionCookies = ReturnType<typeof createSessionCookies>;
