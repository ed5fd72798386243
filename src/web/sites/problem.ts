/** How a site is: the worst problem that is reported of it, that it has none, or that nobody knows. Pure. */
import type { Problem, SiteState, Status, Vhost } from '../lib/types.ts';

export type SiteProblem = {
  level: Problem['level'];
  label: string;
  text: string;
  /** The proxies that do not serve it, if there are several. */
  on?: readonly string[];
  /** Somebody knows of it. */
  isKnown?: true;
};

/** `text` is empty if the label says everything. */
export type Health =
  | Omit<SiteProblem, 'on' | 'isKnown'>
  | { level: 'unknown' | 'good' | 'off'; label: string; text: string };

/** What the status says of all sites of some proxies. */
export type Outages = {
  /** The names of all proxies. */
  proxies: readonly string[];
  /** Whether some sites have not been looked at since a start or a change. */
  isChecking: boolean;
  /** `on`: of those. */
  down: readonly { on: readonly string[]; text: string; isKnown: boolean }[];
};

export const NO_OUTAGES: Outages = { proxies: [], isChecking: false, down: [] };

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

/** The worst problem that the status reports of each site, by the site's id. */
export function reportedProblems(status: Status | null): ReadonlyMap<number, SiteProblem> {
  const found = new Map<number, SiteProblem>();
  const add = (id: number, problem: SiteProblem) => {
    const { on = [], ...worst } = found.get(id) ?? problem;
    const all = new Set([...on, ...(problem.on ?? [])]);
    found.set(id, all.size > 0 ? { ...worst, on: [...all] } : worst);
  };
  for (const problem of status?.problems ?? []) {
    const { code, level, vhost, vhosts = vhost ? [vhost] : [], agents, message } = problem;
    const isDown = level === 'bad' && IS_DOWN.includes(code) && agents;
    const said = {
      ...{ level, label: labelOf(problem), text: message, ...(isDown && { on: agents }) },
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
  const down = (status?.problems ?? []).flatMap(({ code, agents, message, known }) => {
    const isAway = code === 'AGENT_UNREACHABLE' && proxies.length > 1;
    if (code !== 'PROXY_DOWN' && !isAway) return [];
    return { on: agents ?? proxies, text: message, isKnown: known !== undefined };
  });
  return { proxies, isChecking: (status?.checking ?? 0) > 0, down };
}

/** @param state undefined if agent or proxy cannot be asked */
export function healthOf(
  { enabled, agents }: Pick<Vhost, 'enabled' | 'agents'>,
  reported: SiteProblem | undefined,
  state: SiteState | undefined,
  outages: Outages = NO_OUTAGES,
): Health {
  if (!enabled) {
    // The only problem that a site can have while it is off is a refused config.
    return reported?.level === 'bad' ? shown(reported) : { level: 'off', label: 'off', text: '' };
  }
  const proxies = agents.length > 0 ? agents : outages.proxies;
  const down = outages.down.filter(({ on }) => on.some((name) => proxies.includes(name)));
  const isOff = (name: string) =>
    [...down, reported, { on: state?.downOn }].some((one) => one?.on?.includes(name));
  const off = proxies.filter(isOff);
  if (off.length > 0 && off.length < proxies.length) {
    const text = down[0]?.text ?? reported?.text ?? '';
    const said = [...down, ...(reported ? [reported] : [])];
    const isKnown = said.length > 0 && said.every((one) => one.isKnown);
    return shown({
      ...{ level: 'bad', label: `down on ${off.join(', ')}`, text },
      ...(isKnown && { isKnown }),
    });
  }
  const [outage] = down;
  if (outage) {
    const { text, isKnown } = outage;
    return shown({ level: 'bad', label: 'down', text, ...(isKnown && { isKnown }) });
  }
  if (reported) return shown(reported);
  if (outages.isChecking && state?.checking) {
    return { level: 'unknown', label: 'checking', text: '' };
  }
  // The status may not have said so yet.
  if (state?.check) return { level: 'bad', label: FAILING, text: state.check.reason };
  if (!state?.addresses.some(({ served }) => served)) {
    return { level: 'unknown', label: 'not known', text: '' };
  }
  return { level: 'good', label: 'live', text: '' };
}

/** What is known is told, but is no problem any more. */
const shown = ({ on: _, isKnown, ...problem }: SiteProblem): Health =>
  isKnown ? { ...problem, level: 'off', label: `${problem.label}, known` } : problem;
