/** Finds who came to a site before it was closed, and has been refused since. */
import { isOfCloudflare } from '../../hub/caddyfile/cloudflare.ts';
import type { HubCore, HubPart, ProblemCause } from '../../hub/core.ts';
import { isPlacedOn, setFor } from '../../hub/model/applied.ts';
import { endpointsUnder } from '../../hub/model/endpoints.ts';
import type { SiteSet } from '../../hub/model/vhost.ts';
import { listed, type Problem } from '../../hub/watch/problem.ts';
import { every } from '../../shared/every.ts';
import { type Closing, createClosings } from './closings.ts';
import { LET_IN, REFUSED, type RefusedRequest } from './wire.ts';

/** `at`: when it was refused first, in milliseconds since 1970. */
type Visitor = { ip: string; at: number };
/** `due`: when they are looked for again. */
type Found = { visitors: readonly Visitor[]; due: number };

/** Milliseconds. */
const PACE = {
  /** From one look at the log for a site to the next: it may take a second. */
  look: 1_800_000,
  /** Until what is due is looked at: after a start before its incident settles, which would be over otherwise. */
  tick: 3_000,
};
const REFUSALS = [401, 403];
/** Of those refused, how many are looked for among earlier visitors. */
const MOST_ASKED = 1_000;

export function createShutOut(
  core: HubCore,
): Required<Pick<HubPart, 'problems' | 'causes' | 'begin' | 'end'>> {
  const { publisher, paced, elapsed } = core;
  const { look, tick } = paced('doors', PACE);
  const closings = createClosings(core);
  /** By what was closed when: the id of a vhost, and the group of the change. */
  let found: ReadonlyMap<string, Found> = new Map();

  /** Of all proxies that serve the site: who was let in by one may be refused by another. */
  async function visitorsOf(closing: Closing): Promise<readonly Visitor[]> {
    const set = publisher.current();
    const asked = publisher.agents.all().flatMap(({ id, client }) => {
      const request = requestFor(closing, setFor(set, id));
      const isAsked = isPlacedOn(closing.vhost, id) && request.hosts.length > 0;
      return isAsked ? [{ client, request }] : [];
    });
    const refused = new Map<string, number>();
    for (const { client, request } of asked) {
      for (const { ip, at } of (await client.send(REFUSED, request)).visitors) {
        // If Caddy does not trust Cloudflare, its addresses are in the log, and are anyone's.
        if (!isOfCloudflare(ip)) refused.set(ip, Math.min(at, refused.get(ip) ?? at));
      }
    }
    const visitors = [...refused]
      .map(([ip, at]) => ({ ip, at }))
      .toSorted((a, b) => b.at - a.at)
      .slice(0, MOST_ASKED);
    if (visitors.length === 0) return [];
    const ips = visitors.map(({ ip }) => ip);
    const came = new Map<string, { first: number; last: number }>();
    for (const { client, request } of asked) {
      const { hosts, except } = request;
      for (const { ip, first, last } of (await client.send(LET_IN, { hosts, except, ips }))
        .visitors) {
        const known = came.get(ip) ?? { first, last };
        came.set(ip, { first: Math.min(first, known.first), last: Math.max(last, known.last) });
      }
    }
    const since = closing.vhost.updatedAt.getTime();
    return visitors.filter(({ ip, at }) => {
      const { first, last } = came.get(ip) ?? { first: since, last: since };
      return first < since && last < at;
    });
  }

  const isSilent = ({ vhost }: Closing): boolean =>
    publisher.agents.all().some(({ id, client }) => isPlacedOn(vhost, id) && client.isSilent());

  async function lookAtAll(): Promise<void> {
    const next = new Map<string, Found>();
    for (const closing of closings()) {
      const key = keyOf(closing);
      const known = found.get(key) ?? { visitors: [], due: 0 };
      const isAsked = known.due <= elapsed() && !isSilent(closing);
      const visitors = isAsked ? await visitorsOf(closing).catch(() => null) : null;
      // What cannot be asked now stays as it was; and due, until those answer who do not.
      const isDone = isAsked && (visitors !== null || !isSilent(closing));
      const due = isDone ? elapsed() + look : known.due;
      next.set(key, { visitors: visitors ?? known.visitors, due });
    }
    found = next;
  }

  const looks = every({ pause: tick }, lookAtAll);
  return {
    problems: () =>
      closings().flatMap(
        (closing) => problemOf(closing, found.get(keyOf(closing))?.visitors ?? []) ?? [],
      ),
    causes(problems) {
      const keys = new Map(
        problems.flatMap(({ code, key, vhost }) =>
          code === 'SHUT_OUT' && vhost ? [[vhost.id, key] as const] : [],
        ),
      );
      return new Map(
        closings().flatMap((closing) => {
          const key = keys.get(closing.vhost.id);
          return key === undefined ? [] : [[key, cureOf(closing)] as const];
        }),
      );
    },
    begin: looks.begin,
    end: looks.end,
  };
}

const keyOf = ({ vhost, group }: Closing): string => `${vhost.id} ${group}`;

function requestFor({ vhost, policies }: Closing, { preamble, vhosts }: SiteSet): RefusedRequest {
  const namesOf = (one: typeof vhost) =>
    endpointsUnder(preamble)(one).flatMap(({ name }) => (name === '' ? [] : name));
  const hosts = [...new Set(namesOf(vhost))];
  const hasPattern = hosts.some((host) => host.includes('*'));
  const others = hasPattern ? vhosts.filter((one) => one.enabled && one.id !== vhost.id) : [];
  const own = policies.flatMap(({ values: { status } }) =>
    typeof status === 'number' ? status : [],
  );
  return {
    hosts,
    except: others.flatMap(namesOf),
    refusals: [...new Set([...REFUSALS, ...own])],
    since: vhost.updatedAt.getTime(),
  };
}

function problemOf({ vhost, policies }: Closing, visitors: readonly Visitor[]): Problem | null {
  const [last, ...others] = visitors;
  if (!last) return null;
  const { id, domain, updatedAt } = vhost;
  const names = listed(policies.map(({ name }) => name));
  const more = others.length > 0 ? ` So are ${listed(others.map(({ ip }) => ip))}.` : '';
  return {
    code: 'SHUT_OUT',
    level: 'notice',
    vhost: { id, domain },
    since: new Date(Math.min(...visitors.map(({ at }) => at))).toISOString(),
    message: `${last.ip} used the site before it got the policy ${names} on ${timeOf(updatedAt.getTime())}, and has been refused since ${timeOf(last.at)}.${more}`,
  };
}

/** The change that takes the policies off again, of this site alone; and that which undoes all of it. */
const cureOf = ({ vhost, policies, group }: Closing): ProblemCause => ({
  cure: {
    words: `To let them in, take the policy off this site, or add their network to it. To open all sites that were closed with it, undo change ${group} in the changelog.`,
    operation: {
      op: 'update',
      id: vhost.id,
      policies: vhost.policies.filter((one) => !policies.includes(one)).map(({ name }) => name),
    },
  },
});

/** `2026-11-28 14:05 UTC` */
const timeOf = (at: number): string =>
  `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
