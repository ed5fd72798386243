/** Tracks what each site must look like, given the hub's answers. */
import type { Random } from '../harness/random.ts';
import { ask, until } from '../harness/stack.ts';
import type { World } from './world.ts';

/**
 * A stored site; null if there is none. `marker` is what it serves while it is enabled, unless it has
 * the policy, which answers for it.
 */
type State = { id: number; marker: string; enabled: boolean; guarded: boolean } | null;
type Site = { host: string; sure: State; maybe: State | undefined };

const HOSTS = 8;

export function createModel(world: World, random: Random) {
  const sites: Site[] = Array.from({ length: HOSTS }, (_, at) => ({
    host: `site-${at}.example`,
    sure: null,
    maybe: undefined,
  }));
  /** The text that the policy answers with, once it exists. */
  const policy = { id: 0, sure: '', maybe: undefined as string | undefined };
  let marker = 0;
  const tally = { accepted: 0, refused: 0, unknown: 0 };

  const send = (method: string, path: string, json?: object) =>
    ask<{ id: number }>(`${world.hub}${path}`, { method, headers: world.headers, json });

  /** A random change of a site, and the state that it leads to. */
  function pick(site: Site): { next: State; call: () => ReturnType<typeof send> } {
    const text = `m${marker++}`;
    const address = `http://${site.host}:${world.httpPort}`;
    const { sure } = site;
    if (sure === null) {
      const json = { domain: address, config: `respond ${text}` };
      return {
        next: { id: 0, marker: text, enabled: true, guarded: false },
        call: () => send('POST', '/vhosts', json),
      };
    }
    switch (random.below(5)) {
      case 0:
        return { next: null, call: () => send('DELETE', `/vhosts/${sure.id}`) };
      case 1:
        return {
          next: { ...sure, enabled: !sure.enabled },
          call: () => send('PATCH', `/vhosts/${sure.id}/toggle`),
        };
      case 2:
        return {
          next: { ...sure, guarded: !sure.guarded },
          call: () =>
            send('PUT', `/vhosts/${sure.id}`, { policies: sure.guarded ? [] : ['closed'] }),
        };
      default:
        return {
          next: { ...sure, marker: text },
          call: () => send('PUT', `/vhosts/${sure.id}`, { config: `respond ${text}` }),
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

  /** Changes the policy, and with it every site that has it. */
  async function changePolicy(): Promise<void> {
    const text = `p${marker++}`;
    try {
      const { status } = await send('PUT', `/policies/${policy.id}`, { values: { text } });
      if (status < 300) policy.sure = text;
      tally[status < 300 ? 'accepted' : 'refused']++;
    } catch {
      tally.unknown++;
      policy.maybe = text;
    }
  }

  return {
    tally,

    /** Creates the policy that sites can have. */
    async begin(): Promise<void> {
      const json = { name: 'closed', recipe: 'maintenance', values: { text: 'p' } };
      const { body } = await send('POST', '/policies', json);
      Object.assign(policy, { id: body.id, sure: 'p' });
    },

    /** Makes one change. @returns whether it was accepted */
    async oneMore(): Promise<boolean> {
      const { accepted } = tally;
      await change(random.pick(sites as [Site, ...Site[]]));
      return tally.accepted > accepted;
    },

    /** Makes up to four changes of different sites at once, and sometimes one of the policy. */
    async storm(): Promise<void> {
      const first = random.below(HOSTS);
      const many = 1 + random.below(4);
      const chosen = Array.from({ length: many }, (_, at) => sites[(first + at) % HOSTS] as Site);
      const changes = chosen.map(change);
      if (random.below(2) === 0) changes.push(changePolicy());
      await Promise.all(changes);
    },

    /** Compares the three views with the hub's answers. @returns what is wrong, one line each */
    async faults(): Promise<string[]> {
      const views = await world.views(sites.map(({ host }) => host));
      const found: string[] = [];
      const list = await send('GET', '/vhosts');
      const ids = new Map(
        (list.body as unknown as { id: number; domain: string }[]).map(({ id, domain }) => [
          domain,
          id,
        ]),
      );
      const texts = policy.maybe === undefined ? [policy.sure] : [policy.sure, policy.maybe];
      if (!texts.includes(views.policy)) {
        found.push(`the policy: stored ${views.policy}, answered ${texts.join(' or ')}`);
      }
      Object.assign(policy, { sure: views.policy, maybe: undefined });
      for (const site of sites) {
        const address = `http://${site.host}:${world.httpPort}`;
        const row = views.rows.find(({ domain }) => domain === address);
        const seen: State = row
          ? {
              id: ids.get(address) ?? 0,
              marker: row.config.slice(8),
              enabled: row.enabled === 1,
              guarded: row.policies === `[${policy.id}]`,
            }
          : null;
        const may = site.maybe === undefined ? [site.sure] : [site.sure, site.maybe];
        if (!may.some((state) => same(state, seen))) {
          found.push(`${site.host}: stored ${show(seen)}, answered ${may.map(show).join(' or ')}`);
        }
        const marker = seen?.enabled ? seen.marker : '';
        const live = seen?.enabled && seen.guarded ? policy.sure : marker;
        if (views.served.get(site.host) !== live) {
          found.push(`${site.host}: stored ${show(seen)}, served "${views.served.get(site.host)}"`);
        }
        const block =
          views.file.split('\n\n').find((part) => part.startsWith(`${address} {`)) ?? '';
        const isOnDisk = block.includes(`respond ${marker}\n`) && block.includes(live);
        if (live === '' ? block !== '' : !isOnDisk) {
          found.push(`${site.host}: stored ${show(seen)}, on disk ${JSON.stringify(block)}`);
        }
        site.sure = seen;
        site.maybe = undefined;
      }
      if (world.proxies() !== 1) found.push(`${world.proxies()} proxies run`);
      const open = sites.some(({ sure }) => sure?.enabled) ? 1 : 0;
      // Caddy answers a load before it has closed the previous listeners.
      const isSettled = () => world.listeners() === open;
      await until(isSettled, 'the listeners', 1_000).catch(() =>
        found.push(`${world.listeners()} listeners, not ${open}`),
      );
      return found;
    },
  };
}

function same(a: State, b: State): boolean {
  return a === null || b === null
    ? a === b
    : a.marker === b.marker && a.enabled === b.enabled && a.guarded === b.guarded;
}

const show = (state: State) =>
  state === null
    ? 'nothing'
    : `${state.marker}${state.enabled ? '' : ' (off)'}${state.guarded ? ' (closed)' : ''}`;
