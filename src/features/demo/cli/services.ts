/** The services behind the made-up sites, on this machine. */
import { type AnyElysia, Elysia } from 'elysia';
import { listen } from '../../../program/listen.ts';
import { SITES, type Site } from './house.ts';

/** Loopback as well, on Linux; that the usual ports are taken there is less likely. */
const HOST = '127.0.0.2';

type Services = {
  /** Where they listen, by the names of the sites. */
  upstreams: ReadonlyMap<string, string>;
  /** From now on, those answer with errors that are to. */
  fail(): void;
  stop(): Promise<void>;
};

/** @throws Error if there is no port left */
export function startServices(): Services {
  let isFailing = false;
  const answer = (site: Site) => () =>
    isFailing && site.fault === 'failing'
      ? new Response('The database is being upgraded.', { status: 503 })
      : new Response(`A made-up service of the signalbox demo: ${site.name}\n`);
  const stops: (() => Promise<void>)[] = [];
  function at(site: Site): string {
    const usual = { host: HOST, port: site.port };
    if (site.fault === 'dead') return `${usual.host}:${usual.port}`;
    const app = new Elysia().all('/*', answer(site));
    const { url, stop } = listenAt(app, usual);
    stops.push(stop);
    return new URL(url).host;
  }
  const upstreams = new Map(SITES.map((site) => [site.name, at(site)]));
  return {
    upstreams,
    fail() {
      isFailing = true;
    },
    async stop() {
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}

/** There, or else where it can. */
function listenAt(app: AnyElysia, usual: { host: string; port: number }) {
  try {
    return listen(app, { of: 'HUB', ...usual });
  } catch {
    return listen(app, { of: 'HUB', host: '127.0.0.1', port: 0 });
  }
}

/** A port that nobody listens on: that one, or any. @throws Error if it is taken */
export function freePort(host = '127.0.0.1', port = 0): number {
  const { url, stop } = listen(new Elysia(), { of: 'HUB', host, port });
  void stop();
  return Number(new URL(url).port);
}
