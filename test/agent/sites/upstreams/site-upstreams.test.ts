import { afterEach, expect, test } from 'bun:test';
import { PACE } from '../../../../agent/pace.ts';
import type { LiveSite } from '../../../../agent/sites/live-sites.ts';
import { createSiteErrors } from '../../../../agent/sites/site-errors.ts';
import type { DialResult } from '../../../../agent/sites/upstreams/dial.ts';
import { createProber } from '../../../../agent/sites/upstreams/prober.ts';
import { createSiteUpstreams } from '../../../../agent/sites/upstreams/site-upstreams.ts';

const now = () => new Date();
const address = '127.0.0.1:80';
const dial = { place: { host: '127.0.0.1', port: 80 }, tls: null };
const site: LiveSite = {
  name: 'a.example',
  ports: [8080],
  listeners: [],
  tls: null,
  upstreams: [{ address, checked: false, dial, unknown: null }],
  alone: true,
};

let end = async () => {};
afterEach(() => end());

/** Stands in for Caddy and the network, of which one says nothing and the other nothing good. */
function begin(isOpenHere: boolean, result: () => Promise<DialResult>, metrics = '') {
  let [dials, logged] = [0, 0];
  const dial = () => {
    dials++;
    return result();
  };
  const prober = createProber(dial, PACE.probe, now, () => performance.now());
  end = prober.end;
  const upstreams = createSiteUpstreams({
    pace: PACE,
    admin: {
      async upstreams() {
        logged++;
        return '[]';
      },
      metrics: async () => metrics,
    },
    siteErrors: createSiteErrors(now, async () => false),
    newestRequest: async () => null,
    prober,
    isOpenHere: () => isOpenHere,
    now,
  });
  upstreams.keep([site]);
  return { upstreams, dials: () => dials, logged: () => logged };
}

test('nothing is dialled if Caddy is in another network', async () => {
  const { upstreams, dials } = begin(false, async () => ({ up: false, reason: 'no' }));
  for (const wait of [undefined, 100]) {
    const upstreamsOf = await upstreams.read([site], [site], { wait });
    expect(upstreamsOf(site)).toMatchObject([
      { address, up: null, unknown: expect.stringContaining('another network') },
    ]);
  }
  expect(dials()).toBe(0);
});

test('what has not answered in the time there is to wait is not known', async () => {
  const { upstreams } = begin(true, () => new Promise(() => {}));
  const upstreamsOf = await upstreams.read([site], [site], { wait: 1 });
  expect(upstreamsOf(site)).toMatchObject([{ up: null, unknown: expect.stringContaining('yet') }]);
});

test('the first result is waited for', async () => {
  const { upstreams, dials } = begin(true, async () => ({ up: true, latencyMs: 1 }));
  const upstreamsOf = await upstreams.read([site], [site]);
  expect(upstreamsOf(site)).toMatchObject([{ up: true, latencyMs: 1 }]);
  expect(dials()).toBe(1);
});

test('a brief look makes Caddy log nothing, and still sees what it calls ill', async () => {
  const metrics = `caddy_reverse_proxy_upstreams_healthy{upstream="${address}"} 0\n`;
  const { upstreams, logged } = begin(true, async () => ({ up: true, latencyMs: 1 }), metrics);
  const brief = await upstreams.read([site], [site], { brief: true });
  const still = { lastChecked: null, latencyMs: null };
  expect(brief(site)).toMatchObject([{ up: false, requests: null, fails: null, ...still }]);
  expect(logged()).toBe(0);
  await upstreams.read([site], [site]);
  expect(logged()).toBe(1);
});
