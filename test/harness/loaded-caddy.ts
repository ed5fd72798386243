/** A Caddy that loads handlers as they are, without signalbox in between: what it then does can be compared. */
import { freePort, until } from './stack.ts';

type LoadedCaddy = {
  /** Serves each list of handlers at the path of its place. @throws Error with Caddy's words */
  load(sites: readonly (readonly object[])[]): Promise<void>;
  /** The body, and the header `X-A`, that one of them answers; empty if it does not. */
  visit(at: number, headers?: Record<string, string>): Promise<string>;
  stop(): Promise<void>;
};

/** @param home its folder @param env its other variables */
export async function startLoadedCaddy(
  home: string,
  env: Record<string, string> = {},
): Promise<LoadedCaddy> {
  const endpoint = `127.0.0.1:${freePort()}`;
  let port = 0;
  const admin = { listen: endpoint, config: { persist: false } };
  const child = Bun.spawn([Bun.which('caddy') ?? '', 'run', '--config', '-'], {
    env: { ...env, HOME: home },
    stdin: new Blob([JSON.stringify({ admin })]),
    stdout: 'ignore',
    stderr: 'ignore',
  });
  const isUp = () => fetch(`http://${endpoint}/config/`).then(({ ok }) => ok);
  await until(() => isUp().catch(() => false), 'Caddy to start');

  return {
    async load(sites) {
      // On the same one, the previous configuration would answer for a moment.
      port = freePort();
      const routes = sites.map((handle, at) => ({ match: [{ path: [`/${at}`] }], handle }));
      const servers = { a: { listen: [`127.0.0.1:${port}`], routes } };
      const answer = await fetch(`http://${endpoint}/load`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ admin, apps: { http: { servers } } }),
      });
      if (!answer.ok) throw new Error(await answer.text());
    },

    visit: (at, headers = {}) =>
      fetch(`http://127.0.0.1:${port}/${at}`, { headers, redirect: 'manual' })
        .then(async (answer) => `${await answer.text()} ${answer.headers.get('x-a')}`)
        .catch(() => ''),

    async stop() {
      child.kill();
      await child.exited;
    },
  };
}
