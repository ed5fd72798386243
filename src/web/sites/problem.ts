/** How a site is: the worst problem that is reported of it, that it has none, or that nobody knows. Pure. */
import type { Problem, SiteState, Status, Vhost } from '../lib/types.ts';

type Level = Exclude<Problem['level'], 'notice'>;

export type SiteProblem = {
  level: Level;
  label: string;
  text: string;
  /** The proxies that do not serve it, if there are several. */
  on?: readonly string[];
  /** Somebody knows of it. */
  isKnown?: true;
};

/** `text` is empty if the label says everything; `isPartly`: it is down, but not on all of its proxies. */
export type Health = { label: string; text: string; isPartly?: true } & {
  level: Level | 'unknown' | 'good' | 'off';
};

/** What the status says of all sites of some proxies. */
export type Outages = {
  /** The names of all proxies. */
  proxies: readonly string[];
  /** Whether some sites have not been looked at since a start or a change. */
  isChecking: boolean;
  /** `on`: of those; `isAway`: only the agent does not answer, so that Caddy may well serve them. */
  all: readonly { on: readonly string[]; text: string; isKnown: boolean; isAway: boolean }[];
};

const NO_OUTAGES: Outages = { proxies: [], isChecking: false, all: [] };

const FAILING = 'failing';

const LABELS: Partial<Record<string, string>> = {
  CHECK_FAILING: FAILING,
  VHOST_BROKEN: 'refused',
  PORT_HELD: 'port taken',
  CERTIFICATE_EXPIRED: 'expired',
  CERTIFICATE_MISSING: 'no certificate',
  CERTIFICATE_ENDING: 'not renewed',
};

/** With these, visitors of a proxy get nothing from a site. */
const IS_DOWN: readonly Problem['code'][] = ['VHOST_BROKEN', 'PORT_HELD', 'UPSTREAM_DOWN'];

function labelOf({ code, level }: Problem): string {
  if (code === 'UPSTREAM_DOWN') return level === 'bad' ? 'down' : 'partly down';
  return LABELS[code] ?? 'problem';
}

/** All that the status reports of a site. */
export const problemsOf = (status: Status | null, id: number): Problem[] =>
  (status?.problems ?? []).filter(({ vhost, vhosts = [vhost] }) =>
    vhosts.some((one) => one?.id === id),
  );

/** The worst problem that the status reports of each site, by the site's id. */
export function reportedProblems(status: Status | null): ReadonlyMap<number, SiteProblem> {
  const found = new Map<number, SiteProblem>();
  const add = (id: number, problem: SiteProblem) => {
    const { on = [], ...worst } = found.get(id) ?? problem;
    const all = new Set([...on, ...(problem.on ?? [])]);
    found.set(id, all.size > 0 ? { ...worst, on: [...all] } : worst);
  };
  for (const problem of status?.problems ?? []) {
    if (problem.level === 'notice') continue;
    const { code, level, vhost, vhosts = vhost ? [vhost] : [], agents, message } = problem;
    const isDown = level === 'bad' && IS_DOWN.includes(code) && agents;
    const said = {
      level,
      label: labelOf(problem),
      text: message,
      ...(isDown && { on: agents }),
      ...(problem.known && { isKnown: true as const }),
    };
    for (const { id } of vhosts) add(id, said);
  }
  // Of several sites that wait for the same port, the problem names none.
  const isHeld = status?.problems.some(({ code }) => code === 'PORT_HELD');
  for (const { id, agents, detail } of status?.broken ?? []) {
    const label = isHeld ? 'port taken' : 'refused';
    add(id, { level: 'bad', label, text: detail, ...(agents && { on: agents }) });
  }
  return found;
}

/** The proxies that are down or unreachable. Of a proxy whose agent is the only one, nothing is known without it. */
export function outagesIn(status: Status | null): Outages {
  const proxies = (status?.agents ?? []).map(({ name }) => name);
  const all = (status?.problems ?? []).flatMap(({ code, agents, message, known }) => {
    const isAway = code === 'AGENT_UNREACHABLE' && proxies.length > 1;
    if (code !== 'PROXY_DOWN' && !isAway) return [];
    return { on: agents ?? proxies, text: message, isKnown: known !== undefined, isAway };
  });
  return { proxies, isChecking: (status?.checking ?? 0) > 0, all };
}

/** @param problem the worst that is reported of it @param state undefined if agent or proxy cannot be asked */
export function healthOf(
  { enabled, agents }: Pick<Vhost, 'enabled' | 'agents'>,
  problem: SiteProblem | undefined,
  state: SiteState | undefined,
  outages: Outages = NO_OUTAGES,
): Health {
  if (!enabled) {
    // The only problem that a site can have while it is off is a refused config.
    if (problem?.level !== 'bad') return { level: 'off', label: 'off', text: '' };
    const { level, label, text, isKnown } = problem;
    return isKnown ? { level: 'off', label: `${label}, known`, text } : { level, label, text };
  }
  const reported = problem?.level === 'bad' ? problem : (failingIn(state) ?? problem);
  const proxies = agents.length > 0 ? agents : outages.proxies;
  const { downOn = [], missing = [] } = state ?? {};
  const concerned = outages.all.filter(({ on }) => on.some((name) => proxies.includes(name)));
  const dead = concerned.filter(({ isAway }) => !isAway);
  const silent = concerned.filter(({ isAway }) => isAway);
  const isIn = (all: readonly (Pick<SiteProblem, 'on'> | undefined)[], name: string) =>
    all.some((one) => one?.on?.includes(name));
  // Those that cannot be asked may serve it.
  const down = proxies.filter(
    (name) => isIn([...dead, reported], name) || (downOn.includes(name) && !missing.includes(name)),
  );
  const unknown = proxies.filter(
    (name) => !down.includes(name) && (isIn(silent, name) || missing.includes(name)),
  );
  const where = (words: string, on: readonly string[]) =>
    on.length < proxies.length ? `${words} on ${on.join(', ')}` : words;
  const isPartly = down.length > 0 && down.length < proxies.length;
  const ownLabel = reported?.label ?? (down.length > 0 ? 'down' : undefined);
  const label = isPartly || dead.length > 0 ? where('down', down) : ownLabel;
  if (label !== undefined || unknown.length > 0) {
    const said = [...(reported ? [reported] : []), ...concerned];
    const isKnown = said.length > 0 && said.every((one) => one.isKnown);
    const level = down.length > 0 ? 'bad' : (reported?.level ?? 'unknown');
    const words = label ?? where('not known', unknown);
    return {
      // What is known is shown, but is no problem any more.
      level: isKnown ? 'off' : level,
      label: isKnown && label !== undefined ? `${words}, known` : words,
      text: [...new Set(said.map(({ text }) => text))].join(' ') || (state?.problem ?? ''),
      ...(isPartly && { isPartly }),
    };
  }
  if (outages.isChecking && state?.checking) {
    return { level: 'unknown', label: 'checking', text: '' };
  }
  if (!state?.addresses.some(({ served }) => served)) {
    return { level: 'unknown', label: 'not known', text: '' };
  }
  return { level: 'good', label: 'live', text: '' };
}

/** By its check, of which the status may not have said so yet, or by the last explanation. */
function failingIn(state: SiteState | undefined): SiteProblem | undefined {
  const text = state?.check?.reason ?? state?.failing?.words;
  return text === undefined ? undefined : { level: 'bad', label: FAILING, text };
}

/**
 * Whether Caddy serves a site, as its page says it.
 * @param silent the proxies whose agents do not answer
 */
export function servedOf(
  { enabled, addresses, downOn = [], missing = [] }: SiteState,
  silent: readonly string[],
): { level: 'good' | 'bad' | 'unknown'; text: string } {
  if (!enabled) return { level: 'unknown', text: 'Turned off: Caddy does not serve this site.' };
  const unknown = missing.filter((name) => silent.includes(name));
  const down = downOn.filter((name) => !unknown.includes(name));
  const isServed = addresses.some(({ served }) => served);
  if (down.length === 0 && unknown.length > 0) {
    const text = isServed
      ? `Caddy serves this site, but nobody knows whether it does on ${unknown.join(', ')}.`
      : 'Nobody knows whether Caddy serves this site.';
    return { level: 'unknown', text };
  }
  if (down.length === 0 && isServed) return { level: 'good', text: 'Caddy serves this site.' };
  const where = down.length > 0 ? ` on ${down.join(', ')}` : '';
  return { level: 'bad', text: `Caddy does not serve this site${where}.` };
}
