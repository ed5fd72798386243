/** Reads Caddy's figures on its upstreams: open requests, failures and health. */
import { field, type Json, list } from '../../../src/shared/json.ts';
import type { Admin } from '../../caddy/admin.ts';

/** Null for what Caddy does not say, or was not asked. */
export type UpstreamFigures = {
  requests: number | null;
  fails: number | null;
  healthy: boolean | null;
};

type Upstreams = {
  /** By address; at most a few seconds old. @throws AdminUnreachable */
  read(): Promise<ReadonlyMap<string, UpstreamFigures>>;
  /** Only their health, which Caddy does not log. @throws AdminUnreachable */
  health(): Promise<ReadonlyMap<string, UpstreamFigures>>;
  /** Call it after a reload, which may change the upstreams. */
  forget(): void;
};

/** @param kept milliseconds for which figures count */
export function createUpstreams(
  admin: Pick<Admin, 'upstreams' | 'metrics'>,
  kept: number,
  now: () => Date,
): Upstreams {
  let last: { until: number; figures: ReturnType<Upstreams['read']> } | null = null;

  async function ask(): Promise<Map<string, UpstreamFigures>> {
    const upstreams = JSON.parse(await admin.upstreams()) as Json;
    const health = healthOf(await admin.metrics());
    const figures = new Map<string, UpstreamFigures>();
    for (const one of list(upstreams)) {
      const address = String(field(one, 'address') ?? '');
      figures.set(address, {
        requests: Number(field(one, 'num_requests')) || 0,
        fails: Number(field(one, 'fails')) || 0,
        healthy: health.get(address) ?? null,
      });
    }
    return figures;
  }

  return {
    read() {
      const time = now().getTime();
      if (last && last.until > time) return last.figures;
      const figures = ask();
      last = { until: time + kept, figures };
      figures.catch(() => {
        last = null;
      });
      return figures;
    },

    async health() {
      const health = [...healthOf(await admin.metrics())];
      return new Map(
        health.map(([address, healthy]) => [address, { requests: null, fails: null, healthy }]),
      );
    },

    forget() {
      last = null;
    },
  };
}

/** By address, from Caddy's metrics: `caddy_reverse_proxy_upstreams_healthy{upstream="…"} 1`. */
function healthOf(metrics: string): Map<string, boolean> {
  const found = metrics.matchAll(
    /^caddy_reverse_proxy_upstreams_healthy\{[^}\n]*upstream="([^"\n]*)"[^}\n]*\} (\d)/gm,
  );
  return new Map([...found].map(([, address = '', value]) => [address, value !== '0']));
}
