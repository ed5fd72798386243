/** Tracks what each site must look like, given the hub's answers. */

import type { Random } from '../harness/random.ts';
import { ask } from '../harness/stack.ts';
import type { World } from './world.ts';

/** A stored site; null if there is none. `marker` is what it serves while it is enabled. */
type State = { id: number; marker: string; enabled: boolean } | null;
type Site = { host: string; sure: State; maybe: State | undefined };

const HOSTS = 8;

export function createModel(world: World, random: Random) {
  const sites: Site[] = Array.from({ length: HOSTS }, (_, at) => ({
    host: `site-${at}.example`,
    sure: null,
    maybe: undefined,
  }));
  let marker = 0;
  const tally = { accepted: 0, refused: 0, unknown: 0 };

  const send = (method: string, path: string, json?: object) =>
    ask<{ id: number }>(`${world.hub}/vhosts${path}`, {
      method,
      headers: world.headers,
      json,
    });

  /** A random change of a site, and the state that it leads to. */
  function pick(site: Site): { next: State; call: () => ReturnType<typeof send> } {
    const text = `m${marker++}`;
    const address = `http://${site.host}:${world.httpPort}`;
    const { sure } = site;
    if (sure === null) {
      const json = { domain: address, config: `respond ${text}` };
      return { next: { id: 0, marker: text, enabled: true }, call: () => send('POST', '', json) };
    }
    switch (random.below(4)) {
      case 0:
        return { next: null, call: () => send('DELETE', `/${sure.id}`) };
      case 1:
        return {
          next: { ...sure, enabled: !sure.enabled },
          call: () => send('PATCH', `/${sure.id}/toggle`),
        };
      default:
        return {
          next: { ...sure, marker: text },
          call: () => send('PUT', `/${sure.id}`, { config: `respond ${text}` }),
        };
    }
  }

  async function change(site: Site): Promise<void> {
    const { next, call } = pick(site);
    try {
      const { status, body } = await call();
      if (status < 300) {
        tally.accepted++;
        site.sure = next && { ...next, id: body.id ?? next.id };
      } else {
        tally.refused++;
      }
    } catch {
      // The hub died before it could answer: either state is right, but no other.
      tally.unknown++;
      site.maybe = next;
    }
  }

  return {
    tally,

    /** Makes one change. @returns whether it was accepted */
    async oneMore(): Promise<boolean> {
      const { accepted } = tally;
      await change(random.pick(sites as [Site, ...Site[]]));
      return tally.accepted > accepted;
    },

    /** Makes up to four changes of different sites at once. */
    async storm(): Promise<void> {
      const first = random.below(HOSTS);
      const many = 1 + random.below(4);
      const chosen = Array.from({ length: many }, (_, at) => sites[(first + at) % HOSTS] as Site);
      await Promise.all(chosen.map(change));
    },

    /** Compares the three views with the hub's answers. @returns what is wrong, one line each */
    async faults(): Promise<string[]> {
      const views = await world.views(sites.map(({ host }) => host));
      const found: string[] = [];
      const list = await send('GET', '');
      const ids = new Map(
        (list.body as unknown as { id: number; domain: string }[]).map(({ id, domain }) => [
          domain,
          id,
        ]),
      );
      for (const site of sites) {
        const address = `http://${site.host}:${world.httpPort}`;
        const row = views.rows.find(({ domain }) => domain === address);
        const seen: State = row
          ? { id: ids.get(address) ?? 0, marker: row.config.slice(8), enabled: row.enabled === 1 }
          : null;
        const may = site.maybe === undefined ? [site.sure] : [site.sure, site.maybe];
        if (!may.some((state) => same(state, seen))) {
          found.push(`${site.host}: stored ${show(seen)}, answered ${may.map(show).join(' or ')}`);
        }
        const live = seen?.enabled ? seen.marker : '';
        if (views.served.get(site.host) !== live) {
          found.push(`${site.host}: stored ${show(seen)}, served "${views.served.get(site.host)}"`);
        }
        const block =
          views.file.split('\n\n').find((part) => part.startsWith(`${address} {`)) ?? '';
        if (live === '' ? block !== '' : !block.includes(`respond ${live}\n`)) {
          found.push(`${site.host}: stored ${show(seen)}, on disk ${JSON.stringify(block)}`);
        }
        site.sure = seen;
        site.maybe = undefined;
      }
      if (world.proxies() !== 1) found.push(`${world.proxies()} proxies run`);
      const open = sites.some(({ sure }) => sure?.enabled) ? 1 : 0;
      if (world.listeners() !== open) found.push(`${world.listeners()} listeners, not ${open}`);
      return found;
    },
  };
}

function same(a: State, b: State): boolean {
  return a === null || b === null ? a === b : a.marker === b.marker && a.enabled === b.enabled;
}

const show = (state: State) =>
  state === null ? 'nothing' : `${state.marker}${state.enabled ? '' : ' (off)'}`;
