/** What happens to a hub and its agents: kills, stops, cut links and full disks. */
import type { Part, Processes, Site } from '../harness/fleet-processes.ts';
import { fill, mayMount } from '../harness/mount.ts';
import type { Random } from '../harness/random.ts';
import { CUTS } from '../harness/relay.ts';

type Event = {
  readonly name: string;
  /** Of two events of one burst, no part is the same. */
  readonly parts: readonly string[];
  begin(): Promise<void>;
  end(): Promise<void>;
};

/** If its Caddy ends more often, an agent waits for seconds before it starts the next one. */
const MOST_KILLS = 2;

/** @returns a function that picks a burst of one to three events */
export function createEvents(fleet: Processes, random: Random): () => Event[] {
  const { hub, hubFolder, sites } = fleet;
  /** How often each Caddy was killed since its agent was started. */
  const kills = new Map<Site, number>();

  function pick(): Event {
    const site = random.pick(sites as [Site, ...Site[]]);
    const { name, agent, caddy, link, folder } = site;
    const how = random.pick(CUTS);
    const often = kills.get(site) ?? 0;
    const events = [
      killed(hub),
      frozen(hub),
      killed(agent),
      frozen(agent),
      frozen(caddy),
      often < MOST_KILLS ? killed(caddy) : killed(caddy, agent),
      ...Array(2).fill({
        name: `link of ${name} ${how}`,
        parts: [`link of ${name}`],
        begin: () => link.cut(how),
        end: link.join,
      }),
      ...(mayMount ? [full('hub', hubFolder), full(name, folder)] : []),
    ] as [Event, ...Event[]];
    return random.pick(events);
  }

  function killed(...parts: readonly Part[]): Event {
    return {
      ...named('kill', parts),
      async begin() {
        for (const part of parts) await part.kill();
        for (const site of sites) {
          if (parts.includes(site.caddy)) kills.set(site, (kills.get(site) ?? 0) + 1);
          if (parts.includes(site.agent)) kills.delete(site);
        }
      },
      async end() {
        for (const part of parts) await part.revive();
      },
    };
  }

  return () => {
    const many = random.pick([1, 1, 1, 2, 2, 3]);
    const events: Event[] = [];
    while (events.length < many) {
      const next = pick();
      const taken = new Set(events.flatMap(({ parts }) => parts));
      if (next.parts.every((part) => !taken.has(part))) events.push(next);
    }
    return events;
  };
}

const named = (what: string, parts: readonly Part[]) => ({
  name: `${what} ${parts.map(({ name }) => name).join(' and ')}`,
  parts: parts.map(({ name }) => name),
});

const frozen = (part: Part): Event => ({
  ...named('stop', [part]),
  begin: async () => part.freeze(),
  end: async () => part.thaw(),
});

function full(name: string, folder: string): Event {
  let empty = () => {};
  return {
    name: `full disk of ${name}`,
    parts: [`disk of ${name}`],
    begin: async () => {
      empty = fill(folder);
    },
    end: async () => empty(),
  };
}
