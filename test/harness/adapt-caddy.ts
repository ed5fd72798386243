/** A real Caddy that only adapts Caddyfiles to JSON. */
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What Caddy makes of a Caddyfile: JSON, or an error. */
type Adapted =
  | { ok: true; json: AdaptedJson; text: string }
  | { ok: false; status: number; error: string };

/** The part of the JSON that tests check. */
export type AdaptedJson = {
  apps?: { http?: { servers?: Record<string, { listen?: string[]; routes?: AdaptedRoute[] }> } };
};
export type AdaptedRoute = {
  match?: Record<string, unknown>[];
  handle?: Record<string, unknown>[];
  terminal?: boolean;
};

/** `stop` ends Caddy and removes its folder. */
export type AdaptCaddy = { adapt(source: string): Promise<Adapted>; stop(): Promise<void> };

/** Starts Caddy with its admin endpoint on a unix socket; its environment is the bare minimum. */
export async function startAdaptCaddy(
  environment: Record<string, string> = {},
  bin = 'caddy',
): Promise<AdaptCaddy> {
  const folder = mkdtempSync(join(tmpdir(), 'adapt-'));
  const unix = join(folder, 'a.sock');
  const boot = join(folder, 'boot.json');
  writeFileSync(
    boot,
    JSON.stringify({ admin: { listen: `unix/${unix}`, config: { persist: false } } }),
  );
  const log = openSync(join(folder, 'caddy.log'), 'a');
  const child = Bun.spawn([bin, 'run', '--config', boot], {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
      ...environment,
    },
    stdio: ['ignore', log, log],
  });

  const call = (path: string, init: RequestInit = {}) =>
    fetch(`http://caddy${path}`, {
      ...init,
      unix,
      headers: { Host: '', 'Content-Type': 'text/caddyfile' },
    });

  const adapt = async (source: string): Promise<Adapted> => {
    const response = await call('/adapt', { method: 'POST', body: source });
    const text = await response.text();
    if (!response.ok) return { ok: false, status: response.status, error: text };
    const { result } = JSON.parse(text) as { result: AdaptedJson };
    return { ok: true, json: result, text: JSON.stringify(result) };
  };

  const stop = async () => {
    child.kill('SIGKILL');
    await child.exited;
    rmSync(folder, { recursive: true, force: true });
  };

  for (;;) {
    const answer = await call('/config/').catch(() => null);
    if (answer?.ok) return { adapt, stop };
    if (child.exitCode !== null) {
      const words = await Bun.file(join(folder, 'caddy.log')).text();
      await stop();
      throw new Error(`Caddy did not start: ${words}`);
    }
    await Bun.sleep(10);
  }
}
