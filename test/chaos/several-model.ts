/** Changes sites on several proxies, and tracks what each must look like, given the hub's answers. */
import { FIRST, type Processes, preambleOf, type Site } from '../harness/fleet-processes.ts';
import type { Random } from '../harness/random.ts';

/** A stored vhost, which answers `marker` while it is enabled; `on` as in the API, empty for all. */
export type State = { id: number; marker: string; enabled: boolean; on: readonly string[] } | null;
/** What is known, and what else may be true because no answer came; undefined if nothing. */
export type Belief<T> = { sure: T; maybe: T | undefined };

const HOSTS = 6;
/** What no refused change may leave anywhere. */
export const REFUSED = 'refused-';
/** The port for HTTP/3 of the last proxy, which another program has. */
export const heldPort = ({ sites }: Processes): number => (sites.at(-1) as Site).httpsPort;
/** A snippet that all preambles but the last have. */
const MOST = 'most';

export const hostOf = (at: number): string => `site-${at}.example`;
const addressOf = (at: number) => `http://${hostOf(at)}`;
const configOf = (marker: string) => `import who\nrespond ${marker}`;

/** The preamble of a proxy, whose answers carry `who`. */
const markedPreamble = (site: Site, who: string, isLast: boolean): string =>
  preambleOf(
    site,
    `(who) {\n\theader X-Who ${who}\n}\n${isLast ? '' : `(${MOST}) {\n\theader X-Most 1\n}\n`}`,
  );

export type Model = ReturnType<typeof createModel>;

export function createModel({ call, sites }: Processes, random: Random) {
  const vhosts: Belief<State>[] = Array.from({ length: HOSTS }, () => ({
    sure: null,
    maybe: undefined,
  }));
  const preambles = new Map<string, Belief<string>>();
  const names = sites.map(({ name }) => name);
  const tally = { accepted: 0, behind: 0, refused: 0, unavailable: 0, unknown: 0 };
  /** Since the last look at the changelog. */
  const recent = { accepted: 0, unknown: 0 };
  const wrong: string[] = [];
  let number = 0;

  /** @returns the answer's body if the change was accepted, and null if it was refused or is unknown */
  async function send(
    method: string,
    path: string,
    json: object | undefined,
    isUnknown: () => void,
  ) {
    try {
      const { status, body } = await call<{ id: number; behind?: string[] }>(method, path, json);
      if (status >= 300) {
        tally.unavailable++;
        return null;
      }
      tally.accepted++;
      recent.accepted++;
      if (body.behind) tally.behind++;
      return body;
    } catch {
      tally.unknown++;
      recent.unknown++;
      isUnknown();
      return null;
    }
  }

  /** A random change of a vhost, and the state that it leads to. */
  function pick(
    at: number,
    sure: State,
  ): [next: State, method: string, path: string, json?: object] {
    const marker = `m${number++}`;
    const path = `/vhosts/${sure?.id}`;
    if (sure === null) {
      const on = placement();
      const json = { domain: addressOf(at), config: configOf(marker), agents: on };
      return [{ id: 0, marker, enabled: true, on }, 'POST', '/vhosts', json];
    }
    switch (random.below(6)) {
      case 0:
        return [null, 'DELETE', path];
      case 1:
        return [{ ...sure, enabled: !sure.enabled }, 'PATCH', `${path}/toggle`];
      case 2: {
        const on = placement();
        const next = { ...sure, marker, on };
        return [next, 'PUT', path, { config: configOf(marker), agents: on }];
      }
      default:
        return [{ ...sure, marker }, 'PUT', path, { config: configOf(marker) }];
    }
  }

  /** On all, or on some. */
  function placement(): string[] {
    const most = random.below(3);
    const first = random.below(names.length);
    return names.filter((_, at) => (at - first + names.length) % names.length < most);
  }

  async function change(at: number): Promise<void> {
    const vhost = vhosts[at] as Belief<State>;
    // What a further change would lead to depends on what became of the last one.
    if (vhost.maybe !== undefined) return;
    const [next, ...request] = pick(at, vhost.sure);
    const [method, path, json] = request;
    const body = await send(method, path, json, () => {
      vhost.maybe = next;
    });
    if (body) vhost.sure = next && { ...next, id: body.id ?? next.id };
  }

  async function changePreamble(): Promise<void> {
    const site = random.pick(sites as [Site, ...Site[]]);
    const who = `w${number++}`;
    const preamble = preambles.get(site.name) as Belief<string>;
    if (preamble.maybe !== undefined) return;
    const json = { config: markedPreamble(site, who, site === sites.at(-1)) };
    const body = await send('PUT', `/preamble${ofAgent(site)}`, json, () => {
      preamble.maybe = who;
    });
    if (body) preamble.sure = who;
  }

  /** Sends a change that has to be refused, whoever is away. */
  async function refuse(): Promise<void> {
    const marker = `${REFUSED}${number++}`;
    const domain = `http://${marker}.example`;
    const [first] = vhosts.flatMap(({ sure }) => sure ?? []);
    const update = (json: object) =>
      first
        ? (['PUT', `/vhosts/${first.id}?require=all`, json] as const)
        : (['POST', '/vhosts?require=all', { domain, config: 'respond x', ...json }] as const);
    const site = random.pick(sites as [Site, ...Site[]]);
    const [method, path, json] = random.pick([
      update({ config: `respond ${marker}\nno_such_directive`, agents: [] }),
      // One of the proxies refuses it, the others accept it.
      update({ config: `respond ${marker}\nimport ${MOST}`, agents: [] }),
      // All of them validate it, and the last one cannot load it: see `heldPort`.
      ['POST', '/vhosts?require=all', { domain: `${marker}.example`, config: 'tls internal' }],
      update({ config: `respond ${marker}`, agents: [marker] }),
      ['PUT', `/preamble${ofAgent(site)}`, { config: `{\n\t${marker}\n}` }],
    ]);
    try {
      const { status, text } = await call(method, path, json);
      tally.refused++;
      if (status < 300) wrong.push(`accepted: ${method} ${path} ${JSON.stringify(json)}: ${text}`);
    } catch {
      // The hub died before it could answer.
    }
  }

  return {
    names,
    vhosts,
    preambles,
    tally,
    recent,
    /** What the hub accepted although it must not, since the last call. */
    wrong: () => wrong.splice(0),

    /** Gives each proxy its own preamble. */
    async begin(): Promise<void> {
      for (const site of sites) {
        const who = `w-${site.name}`;
        preambles.set(site.name, { sure: who, maybe: undefined });
        const config = markedPreamble(site, who, site === sites.at(-1));
        await call('PUT', `/preamble${ofAgent(site)}`, { config });
      }
    },

    /** Makes one change. @returns whether it was accepted */
    async oneMore(): Promise<boolean> {
      const { accepted } = tally;
      await change(random.below(HOSTS));
      return tally.accepted > accepted;
    },

    /** Makes up to three changes at once, sometimes of a preamble, and one that must be refused. */
    async storm(): Promise<void> {
      const first = random.below(HOSTS);
      const many = 1 + random.below(3);
      const changes = Array.from({ length: many }, (_, at) => change((first + at) % HOSTS));
      if (random.below(4) === 0) changes.push(changePreamble());
      if (random.below(2) === 0) changes.push(refuse());
      await Promise.all(changes);
    },
  };
}

/** The first agent has the common preamble. */
const ofAgent = ({ name }: Site): string => (name === FIRST ? '' : `?agent=${name}`);
