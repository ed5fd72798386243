/** A vhost as the API shows it, its entity tag, warnings about it, and examples for the API's description. */
import { type Static, t } from 'elysia';
import { integer } from '../../shared/integer.ts';
import { memoize } from '../../shared/memoize.ts';
import { Check } from '../../shared/wire/checks.ts';
import { type Caller, isViewer } from '../auth/guard.ts';
import { etagOf, ifMatch, sharedJson } from '../http/responses.ts';
import { Lacking, Timestamp, Warning } from '../http/schemas.ts';
import { inputOf, isPlacedOn } from '../model/applied.ts';
import { addressesOf, endpointsUnder } from '../model/endpoints.ts';
import type { SiteSet, Vhost } from '../model/vhost.ts';
import type { Precondition } from '../model/vhost-changes.ts';
import type { ReadPorts } from '../publish/ports.ts';
import { Serving } from '../publish/serving.ts';

const Whole = t.Object(
  {
    id: integer(),
    domain: t.String(),
    addresses: t.Array(t.String(), {
      description:
        'all that it answers to, as written, the domain first; several only if `config` is a whole block',
    }),
    config: t.String(),
    enabled: t.Boolean(),
    upstream: t.String(),
    policies: t.Array(t.String(), { description: 'by name, in order' }),
    except: t.Array(t.String(), {
      description: 'the policies that apply to every vhost, but not to this one, by name',
    }),
    tags: t.Array(t.String()),
    agents: t.Array(t.String(), {
      description: 'the agents whose proxies serve it, by name; if empty: all',
    }),
    check: t.Union([Check, t.Null()]),
    source: t.Union([t.String(), t.Null()], {
      description:
        'what keeps it as it is, such as a file: its next apply undoes other changes; null: people do',
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'Vhost' },
);

const NOT_SEEN = { description: 'not for viewers' };

/** As it is read: a viewer gets neither its config nor what its check asks and expects. */
export const VhostView = t.Object(
  {
    ...Whole.properties,
    config: t.Optional(t.String(NOT_SEEN)),
    check: t.Optional(t.Union([Check, t.Null()], NOT_SEEN)),
  },
  { title: 'Vhost' },
);

/** What the answer to a change says of the proxy's ports. */
export const Unreached = t.Object({
  serving: t.Optional(
    t.Union([Serving, t.Null()], {
      description:
        'as in `/status`; only if `warnings` says that visitors do not reach a vhost (`NOT_SERVED`)',
    }),
  ),
});

/** The answer to a change. */
export const ChangedVhost = t.Composite(
  [
    Whole,
    Lacking,
    Unreached,
    t.Object({
      warnings: t.Array(Warning, {
        description:
          'problems that a visitor would notice, as far as known after 1.5 s; `NOT_TRIED`: its check ran only once the change was live',
      }),
    }),
  ],
  { title: 'ChangedVhost' },
);

export const VHOST = {
  id: 1,
  domain: 'app.example.org',
  addresses: ['app.example.org'],
  config: 'reverse_proxy {upstream}',
  enabled: true,
  upstream: '127.0.0.1:8000',
  policies: [] as string[],
  except: [] as string[],
  tags: [] as string[],
  agents: [] as string[],
  check: null,
  source: null,
  createdAt: '2026-11-20T18:00:00.000Z',
  updatedAt: '2026-11-20T18:00:00.000Z',
};

/** The same as the answer to a change. */
export const CHANGED = { ...VHOST, warnings: [] };

/** What creates `VHOST`. */
export const NEW_VHOST = {
  domain: VHOST.domain,
  config: VHOST.config,
  upstream: VHOST.upstream,
};

/** The set whose agents and policies a vhost may name. */
type Among = Pick<SiteSet, 'agents' | 'policies'>;

/** Policies and agents go by their names. Always in this order, which is part of the entity tag. */
export const viewVhost = (stored: Vhost, among: Among) => ({
  id: stored.id,
  domain: stored.domain,
  addresses: [...addressesOf(stored)],
  ...inputOf(stored, among),
  source: stored.source,
  createdAt: stored.createdAt.toISOString(),
  updatedAt: stored.updatedAt.toISOString(),
});

/** The same for whoever asks. */
function vhostFor(
  who: Pick<Caller, 'user'>,
  stored: Vhost,
  among: Among,
): Static<typeof VhostView> {
  const whole = viewVhost(stored, among);
  return isViewer(who) ? seenByViewers(whole) : whole;
}

const seenByViewers = ({ config: _, check: __, ...seen }: ReturnType<typeof viewVhost>) => seen;

/** Vhosts and lists of them as JSON, made once for as long as neither they nor what they may name changes. */
const listsAmong = memoize((agents: Among['agents']) =>
  memoize((policies: Among['policies']) => {
    const view = (vhost: Vhost) => viewVhost(vhost, { agents, policies });
    const lists = (seen: (vhost: Vhost) => object) => {
      const textOf = memoize((vhost: Vhost) => JSON.stringify(seen(vhost)));
      return memoize((vhosts: readonly Vhost[]) => sharedJson(`[${vhosts.map(textOf).join()}]`));
    };
    return { whole: lists(view), seen: lists((vhost) => seenByViewers(view(vhost))) };
  }),
);

/** A list of vhosts for whoever asks; the same array gives the same bytes. */
export function vhostsAnswer(
  { user }: Pick<Caller, 'user'>,
  vhosts: readonly Vhost[],
  { agents, policies }: Among,
): ReturnType<typeof sharedJson> {
  const { whole, seen } = listsAmong(agents)(policies);
  return (isViewer({ user }) ? seen : whole)(vhosts);
}

/** Shows a vhost of a set to whoever asks, and sets its ETag: of what is shown. */
export function tagged(
  who: Pick<Caller, 'user'>,
  vhost: Vhost,
  among: Among,
  set: { headers: Record<string, string | number> },
) {
  const view = vhostFor(who, vhost, among);
  set.headers.ETag = etagOf(view);
  return view;
}

/** The field of that, if these warnings ask for it. */
export async function unreached(warnings: readonly Warning[], read: ReadPorts) {
  const isReached = warnings.every(({ code }) => code !== 'NOT_SERVED');
  return isReached ? {} : { serving: await read() };
}

/** The precondition that `If-Match` makes; undefined if there is none. */
export function preconditionOf(request: Request, among: Among): Precondition | undefined {
  const assertTag = ifMatch(request, 'site');
  return assertTag && ((vhost) => assertTag(etagOf(viewVhost(vhost, among))));
}

/** The hosts of vhosts, on whichever proxy they are. */
const hostsOf = (vhosts: readonly Vhost[], { preamble, agents }: SiteSet): Set<string> =>
  new Set(
    vhosts.flatMap((vhost) => {
      const own = agents.filter(({ id }) => isPlacedOn(vhost, id));
      const preambles = new Set([preamble, ...own.flatMap((agent) => agent.preamble ?? [])]);
      return [...preambles].flatMap((text) => endpointsUnder(text)(vhost).map(({ name }) => name));
    }),
  );

/**
 * Whether a host is of some vhosts.
 * @param changed those that a change touched, as they were before; asked for only if a host is
 * @param set the one that they were in
 */
export function ownHosts(changed: () => readonly Vhost[], set: SiteSet): (host: string) => boolean {
  let hosts: ReadonlySet<string> | null = null;
  return (host) => {
    hosts ??= hostsOf(changed(), set);
    return hosts.has(host);
  };
}
