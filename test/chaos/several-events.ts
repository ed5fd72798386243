/** What happens to a hub and its agents: kills, stops, cut links and full disks. */
import type { Part, Processes, Site } from '../harness/fleet-processes.ts';
import { fill, mayMount } from '../harness/mount.ts';
import type { Random } from '../harness/random.ts';
import { CUTS } from '../harness/relay.ts';

export type Event = {
  readonly name: string;
  begin(): Promise<void>;
  end(): Promise<void>;
};

/** A burst of one to three events on different parts. */
export function pickEvents({ hub, hubFolder, sites }: Processes, random: Random): Event[] {
  const many = random.pick([1, 1, 1, 2, 2, 3]);
  const events = new Map<string, Event>();
  while (events.size < many) {
    const site = random.pick(sites as [Site, ...Site[]]);
    const [of, event] = random.pick([
      ...[hub, site.agent, site.caddy].flatMap((part) => [
        [part.name, killed(part)] as const,
        [part.name, frozen(part)] as const,
      ]),
      [`link ${site.name}`, cut(site, random)],
      [`link ${site.name}`, cut(site, random)],
      ...(mayMount
        ? [
            [hub.name, full(hub.name, hubFolder)] as const,
            [site.name, full(site.name, site.folder)] as const,
          ]
        : []),
    ] as [readonly [string, Event], ...(readonly [string, Event])[]]);
    if (!events.has(of)) events.set(of, event);
  }
  return [...events.values()];
}

const killed = (part: Part): Event => ({
  name: `kill ${part.name}`,
  begin: part.kill,
  end: part.revive,
});

const frozen = (part: Part): Event => ({
  name: `stop ${part.name}`,
  begin: async () => part.freeze(),
  end: async () => part.thaw(),
});

function cut({ name, link }: Site, random: Random): Event {
  const how = random.pick(CUTS);
  return { name: `link of ${name} ${how}`, begin: () => link.cut(how), end: link.join };
}

function full(name: string, folder: string): Event {
  let empty = () => {};
  return {
    name: `full disk of ${name}`,
    begin: async () => {
      empty = fill(folder);
    },
    end: async () => empty(),
  };
}
