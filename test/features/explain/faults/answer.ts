/** Faults of what an upstream answers: it wants another name, another proxy, or fails by itself. */

import { freePort } from '../../../harness/stack.ts';
import {
  type App,
  startFailing,
  startHomeAssistant,
  startNextcloud,
  startOllama,
  startRedirecting,
  startSocketApp,
  startSyncthing,
  startVite,
} from '../services/apps.ts';
import { HAS_DJANGO, NGINX, startDjango, startNginx } from '../services/programs.ts';
import { type Fault, forwarding, type Stage } from './fault.ts';

const NO_NGINX = NGINX === null && 'no nginx';

const staged = ({ port, trust }: App, path?: string): Stage => ({
  site: forwarding(`127.0.0.1:${port}`),
  mend: trust,
  ...(path !== undefined && { path }),
});

const onDomain = (domain: string, stage: Stage): Stage => ({
  ...stage,
  site: { ...stage.site, domain },
});

/** Services of nginx that fail until their `server` block is another. */
const nginxFault =
  (block: string) =>
  async ({ stops }: Parameters<Fault['stage']>[0]): Promise<Stage> => {
    const server = (port: number, inner: string) =>
      `server { listen 127.0.0.1:${port}; location / { ${inner} } }`;
    const { port, replace } = await startNginx(stops, (port) => server(port, block));
    return {
      site: forwarding(`127.0.0.1:${port}`),
      mend: () => replace(server(port, 'return 200 up;')),
    };
  };

/** Asks a site over HTTPS, whoever has signed its certificate. @returns the status; 0: no answer */
const visitSecurely = (port: number, host: string): Promise<number> =>
  fetch(`https://127.0.0.1:${port}/`, {
    headers: { Host: host },
    redirect: 'manual',
    keepalive: false,
    tls: { rejectUnauthorized: false, serverName: host.replace(/:\d+$/, '') },
  }).then(
    ({ status }) => status,
    () => 0,
  );

/** Asks a site, and goes where it leads within the site. @returns the status at last; 0: it leads elsewhere */
async function follow(port: number, host: string, path: string): Promise<number> {
  const ask = { headers: { Host: host }, redirect: 'manual' } as const;
  const { status, headers } = await fetch(`http://127.0.0.1:${port}${path}`, ask);
  const to = headers.get('location');
  if (to === null) return status;
  return to.startsWith('/') ? follow(port, host, to) : 0;
}

/** Opens a websocket as a visitor of that site. @returns 200 if it opens */
const openSocket = (port: number, host: string): Promise<number> =>
  new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`, { headers: { Host: host } });
    socket.onopen = () => {
      socket.close();
      resolve(200);
    };
    socket.onerror = () => resolve(0);
  });

export const ANSWER: readonly Fault[] = [
  {
    name: 'Home Assistant that does not trust the proxy',
    cause: 'PROXY_NOT_TRUSTED',
    names: /trusted_proxies/,
    hasOperation: false,
    stage: ({ stops }) => staged(startHomeAssistant(stops)),
  },
  {
    name: 'Nextcloud that does not trust the domain',
    cause: 'HOST_REFUSED',
    names: /trusted_domains/,
    hasOperation: false,
    stage: ({ stops }) => staged(startNextcloud(stops)),
  },
  {
    name: 'Vite that blocks the host',
    cause: 'HOST_REFUSED',
    names: /allowedHosts/,
    hasOperation: true,
    stage: ({ stops }) => staged(startVite(stops)),
  },
  {
    name: 'Django that does not allow the host',
    missing: !HAS_DJANGO && 'no python3-django',
    cause: 'HOST_REFUSED',
    names: /ALLOWED_HOSTS/,
    hasOperation: true,
    stage: async ({ stops }) => ({
      site: forwarding(`127.0.0.1:${await startDjango(stops)}`),
    }),
  },
  {
    name: 'Syncthing that checks the host',
    cause: 'HOST_REFUSED',
    hasOperation: true,
    stage: ({ stops }) => staged(startSyncthing(stops)),
  },
  {
    name: 'Ollama that refuses other hosts without a word',
    cause: 'HOST_REFUSED',
    hasOperation: true,
    stage: ({ stops }) => staged(startOllama(stops)),
  },
  {
    name: 'an application that fails with 500',
    cause: 'UPSTREAM_ERROR',
    names: /500/,
    hasOperation: false,
    stage: ({ stops }) => staged(startFailing(stops, 500, 'Internal Server Error')),
  },
  {
    name: 'nginx that cannot reach what is behind it, with a 502 of its own',
    missing: NO_NGINX,
    cause: 'UPSTREAM_ERROR',
    names: /502/,
    hasOperation: false,
    stage: (place) => nginxFault(`proxy_pass http://127.0.0.1:${freePort()};`)(place),
  },
  {
    name: 'an application that answers 503 itself',
    cause: 'UPSTREAM_ERROR',
    names: /503/,
    hasOperation: false,
    stage: ({ stops }) => staged(startFailing(stops, 503, 'Service Unavailable')),
  },
  {
    name: 'nginx that takes no address as long as this one',
    missing: NO_NGINX,
    cause: 'TOO_LARGE',
    names: /414/,
    hasOperation: false,
    stage: async ({ stops }) => {
      const server = (port: number, options: string) =>
        `server { listen 127.0.0.1:${port}; ${options} location / { return 200 up; } }`;
      const limits = 'large_client_header_buffers 2 1k;';
      const { port, replace } = await startNginx(stops, (port) => server(port, limits));
      return {
        site: forwarding(`127.0.0.1:${port}`),
        path: `/?from=${'a'.repeat(1_500)}`,
        mend: () => replace(server(port, '')),
      };
    },
  },
  {
    name: 'a redirect to the address of the service itself',
    cause: 'REDIRECT_ELSEWHERE',
    hasOperation: false,
    stage: ({ stops }) => {
      let port = 0;
      const app = startRedirecting(stops, () => `http://127.0.0.1:${port}/login`);
      ({ port } = app);
      return staged(app);
    },
  },
  {
    name: 'nginx that puts its own port into the address of a folder',
    missing: NO_NGINX,
    cause: 'REDIRECT_ELSEWHERE',
    names: /own configuration/,
    hasOperation: false,
    stage: async ({ stops, httpPort }) => {
      const server = (port: number, options: string) =>
        `server { listen 127.0.0.1:${port}; ${options} location /files/ { proxy_pass http://127.0.0.1:${port}/; } location / { return 200 up; } }`;
      const { port, replace } = await startNginx(stops, (port) => server(port, ''));
      return {
        site: { domain: 'http://files.example', ...forwarding(`127.0.0.1:${port}`) },
        path: '/files',
        visit: () => follow(httpPort, 'files.example', '/files'),
        mend: () => replace(server(port, 'absolute_redirect off;')),
      };
    },
  },
  {
    name: 'an application that redirects to the page it was asked for',
    cause: 'REDIRECT_LOOP',
    hasOperation: false,
    stage: ({ stops }) =>
      staged(
        startRedirecting(
          stops,
          ({ headers }, { pathname }) => `http://${headers.get('host')}${pathname}`,
        ),
      ),
  },
  {
    name: 'nginx that always redirects to HTTPS, behind HTTPS',
    missing: NO_NGINX,
    cause: 'REDIRECT_LOOP',
    hasOperation: false,
    stage: async ({ stops, httpsPort }) => {
      const server = (port: number, inner: string) =>
        `server { listen 127.0.0.1:${port}; location / { ${inner} } }`;
      const toHttps = 'return 301 https://$http_host$request_uri;';
      const { port, replace } = await startNginx(stops, (port) => server(port, toHttps));
      const host = `loop.home.arpa:${httpsPort}`;
      return {
        site: { domain: host, config: `tls internal\nreverse_proxy 127.0.0.1:${port}` },
        visit: () => visitSecurely(httpsPort, host),
        mend: () => replace(server(port, 'return 200 up;')),
      };
    },
  },
  {
    name: 'a websocket that the application refuses',
    cause: 'WEBSOCKET_REFUSED',
    hasOperation: false,
    stage: ({ stops, httpPort }) => ({
      ...onDomain('http://socket.example', staged(startSocketApp(stops), '/socket')),
      visit: () => openSocket(httpPort, 'socket.example'),
    }),
  },
];
