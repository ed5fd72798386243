/** What Caddy tells of the upstreams it knows: requests under way, failures, and their health. */
import type { Admin } from '../caddy/admin.ts';
import { field, type Json } from '../caddy/json.ts';

/** `healthy` is null where Caddy says nothing of it. */
export type UpstreamFigures = { requests: number; fails: number; healthy: boolean | null };

export type UpstreamsDeps = { admin: Pick<Admin, 'upstreams' | 'metrics'>; now: () => Date };

/** Caddy writes a line into its log for each time it is asked for them. */
const KEPT_MS = 5_000;

export function createUpstreams({ admin, now }: UpstreamsDeps) {
  let last: { until: number; told: Promise<Map<string, UpstreamFigures>> } | null = null;

  async function ask(): Promise<Map<string, UpstreamFigures>> {
    const list = JSON.parse(await admin.upstreams()) as Json;
    const health = healthOf(await admin.metrics());
    const told = new Map<string, UpstreamFigures>();
    for (const one of Array.isArray(list) ? list : []) {
      const address = String(field(one, 'address') ?? '');
      told.set(address, {
        requests: Number(field(one, 'num_requests')) || 0,
        fails: Number(field(one, 'fails')) || 0,
        healthy: health.get(address) ?? null,
      });
    }
    return told;
  }

  return {
    /** By address; at most a few seconds old. @throws AdminUnreachable */
    read(): Promise<Map<string, UpstreamFigures>> {
      const time = now().getTime();
      if (last && last.until > time) return last.told;
      const told = ask();
      last = { until: time + KEPT_MS, told };
      told.catch(() => {
        last = null;
      });
      return told;
    },

    /** There is a new configuration: other upstreams. */
    forget(): void {
      last = null;
    },
  };
}

/** By address, from Caddy's own figures: `caddy_reverse_proxy_upstreams_healthy{upstream="…"} 1`. */
function healthOf(metrics: string): Map<string, boolean> {
  const found = metrics.matchAll(
    /^caddy_reverse_proxy_upstreams_healthy\{[^}\n]*upstream="([^"\n]*)"[^}\n]*\} (\d)/gm,
  );
  return new Map([...found].map(([, address = '', value]) => [address, value !== '0']));
}
