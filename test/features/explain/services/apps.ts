/**
 * Stand-ins for applications that look at who asks, and for which host: each decides and answers as the program named
 * does, and can be told to trust, as its owner would.
 */
import { httpPort, type Stops } from './listening.ts';

export type App = { port: number; trust: () => void };

const plain = (status: number, text: string, headers: Record<string, string> = {}) =>
  new Response(text, {
    status,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers },
  });
const page = (status: number, text: string) =>
  new Response(`<!DOCTYPE html>\n<html><body>${text}</body></html>`, {
    status,
    headers: { 'Content-Type': 'text/html; charset=UTF-8' },
  });

/** @param refuse what the application does before it trusts; null: it answers as usual */
function startApp(stops: Stops, refuse: (request: Request) => Response | null): App {
  let trusts = false;
  const port = httpPort(stops, (request) => (trusts ? null : refuse(request)) ?? page(200, 'home'));
  return {
    port,
    trust: () => {
      trusts = true;
    },
  };
}

/** `async_setup_forwarded` in homeassistant/components/http/forwarded.py: aiohttp's HTTPBadRequest. */
export const startHomeAssistant = (stops: Stops): App =>
  startApp(stops, ({ headers }) =>
    headers.has('x-forwarded-for')
      ? plain(400, '400: Bad Request', { Server: 'Python/3.12 aiohttp/3.9.5' })
      : null,
  );

/**
 * `checkServer` in lib/base.php of Nextcloud, with core/templates/untrustedDomain.php; which believes
 * X-Forwarded-Host of trusted proxies alone; localhost is trusted.
 */
export const startNextcloud = (stops: Stops): App =>
  startApp(stops, ({ headers }) => {
    if (isOwnName(headers.get('host') ?? '')) return null;
    return page(
      400,
      '<div class="error"><h2>Access through untrusted domain</h2><p>Please contact your administrator. If you are an administrator, edit the "trusted_domains" setting in config/config.php like the example in config.sample.php.</p></div>',
    );
  });

/** `hostValidationMiddleware` of Vite since 5.4.12. */
export const startVite = (stops: Stops): App =>
  startApp(stops, ({ headers }) => {
    const host = (headers.get('host') ?? '').replace(/:\d+$/, '');
    if (isOwnName(host)) return null;
    return plain(
      403,
      `Blocked request. This host ("${host}") is not allowed.\nTo allow this host, add "${host}" to \`server.allowedHosts\` in vite.config.js.`,
    );
  });

/** `localhostMiddleware` in lib/api/api.go of Syncthing: the name is checked if it listens on loopback. */
export const startSyncthing = (stops: Stops): App =>
  startApp(stops, ({ headers }) =>
    isOwnName(headers.get('host') ?? '') ? null : plain(403, 'Host check error\n'),
  );

/** `allowedHostsMiddleware` in server/routes.go of Ollama: a status and nothing else. */
export const startOllama = (stops: Stops): App =>
  startApp(stops, ({ headers }) =>
    isOwnName(headers.get('host') ?? '') ? null : new Response(null, { status: 403 }),
  );

const isOwnName = (host: string): boolean =>
  /^(?:localhost|.+\.localhost|[\d.]+|\[.+\])(?::\d+)?$/.test(host);

/** An application that compares `Origin` with its own address before it opens a websocket, as Home Assistant's UI needs one. */
export function startSocketApp(stops: Stops): App {
  let trusts = false;
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request, server) {
      if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') {
        return new URL(request.url).pathname === '/socket'
          ? plain(426, 'Upgrade Required', { Upgrade: 'websocket', Connection: 'Upgrade' })
          : page(200, 'home');
      }
      if (!trusts) return plain(403, 'Forbidden');
      return server.upgrade(request) ? undefined : plain(400, 'Bad Request');
    },
    websocket: { message() {} },
  });
  stops.add(() => server.stop(true));
  return {
    port: server.port ?? 0,
    trust: () => {
      trusts = true;
    },
  };
}

/** An application that has failed: it answers with this status until somebody repairs it. */
export const startFailing = (stops: Stops, status: number, text: string): App =>
  startApp(stops, () => page(status, text));

/** An application that sends visitors to an address until it knows that a proxy did HTTPS for it. */
export const startRedirecting = (stops: Stops, to: (request: Request, url: URL) => string): App =>
  startApp(
    stops,
    (request) =>
      new Response(null, { status: 302, headers: { Location: to(request, new URL(request.url)) } }),
  );
