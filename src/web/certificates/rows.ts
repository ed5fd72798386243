/** The certificates of each site in a row, filtered, sorted and in words; the view is kept in the page's address. Pure. */
import { plural } from '../lib/format.ts';
import type { Certificate } from '../lib/types.ts';

const COLUMNS = ['name', 'state', 'issuer'] as const;
export type Column = (typeof COLUMNS)[number];
export type View = { shown: 'all' | 'problems'; by: Column; down: boolean };

/** Reads the view from an address; unknown values count as absent. */
export function readView(query: URLSearchParams): View {
  const [, sign, column] = /^(-?)(\w+)$/.exec(query.get('sort') ?? '') ?? [];
  return {
    shown: query.get('show') === 'problems' ? 'problems' : 'all',
    by: COLUMNS.find((name) => name === column) ?? 'state',
    down: sign === '-',
  };
}

/** The address of a view; without a query if it is the first one: problems first. */
export function addressOf({ shown, by, down }: View): string {
  const query = new URLSearchParams();
  if (shown !== 'all') query.set('show', shown);
  if (by !== 'state' || down) query.set('sort', `${down ? '-' : ''}${by}`);
  const text = query.toString();
  return text ? `/certificates?${text}` : '/certificates';
}

/** The view after a click on the head of a column. */
export const sortedBy = (view: View, by: Column): View => ({
  ...view,
  by,
  down: view.by === by && !view.down,
});

/** Names of a site whose certificates look the same on the same proxies. */
export type Part = {
  names: readonly string[];
  /** None if there is only one. */
  agents: readonly string[];
  /** The one that expires first. */
  certificate: Certificate;
};

/** A site with all its certificates. */
export type SiteRow = {
  id: number;
  domain: string;
  /** Those that `domain` does not say. */
  further: readonly string[];
  /** At least one, the most urgent first; more only if they differ in what is shown. */
  parts: readonly [Part, ...Part[]];
};

/** One row for each site. */
export function rowsOf(all: readonly Certificate[]): SiteRow[] {
  return [...Map.groupBy(all, ({ id }) => id)].flatMap(([id, entries]) => {
    const domain = entries[0]?.domain ?? '';
    const own = domain.replace(/^https:\/\//, '').replace(/:\d+$/, '');
    const nameOf = namesIn(entries);
    const alike = Map.groupBy(entries, lookOf);
    const [first, ...others] = [...alike.values()]
      .flatMap((same) => partsOf(same, nameOf))
      .toSorted((a, b) => byUrgency(a.certificate, b.certificate));
    if (!first) return [];
    const further = [...new Set(entries.map(nameOf))].filter((name) => name !== own);
    return { id, domain, further, parts: [first, ...others] };
  });
}

type NameOf = (one: Certificate) => string;

/** With the port, if the site has the name on several. */
function namesIn(entries: readonly Certificate[]): NameOf {
  const ports = Map.groupBy(entries, ({ name }) => name);
  return ({ name, port }) =>
    ports.get(name)?.some((other) => other.port !== port) ? `${name}:${port}` : name;
}

/** What is shown of it. */
const lookOf = (one: Certificate): string =>
  JSON.stringify([
    stateOf(one),
    signer(one),
    one.automated,
    one.kept,
    one.problem,
    one.error?.message,
  ]);

/** Those that look the same, by where they are. */
function partsOf(same: readonly Certificate[], nameOf: NameOf): Part[] {
  const agentsOf = (group: readonly Certificate[]) => group.flatMap(({ agent }) => agent ?? []);
  const named = [...Map.groupBy(same, nameOf).values()];
  const placed = Map.groupBy(named, (group) => agentsOf(group).join(' '));
  return [...placed.values()].flatMap((groups) => {
    const [certificate] = groups.flat().toSorted(byUrgency);
    if (!certificate) return [];
    const names = groups.flatMap(([one]) => (one ? nameOf(one) : []));
    return { names, agents: agentsOf(groups[0] ?? []), certificate };
  });
}

/** The rows of a view. By state, problems come first, then what expires first. */
export function shownRows(all: readonly Certificate[], { shown, by, down }: View): SiteRow[] {
  const textOf = ({ domain, parts: [{ certificate }] }: SiteRow) =>
    by === 'issuer' ? signer(certificate) : domain.replace(/^https:\/\//, '');
  const order = (a: SiteRow, b: SiteRow) =>
    (by === 'state'
      ? byUrgency(a.parts[0].certificate, b.parts[0].certificate)
      : compare(textOf(a), textOf(b))) || compare(a.domain, b.domain);
  return rowsOf(all)
    .filter((row) => shown === 'all' || hasProblem(row))
    .toSorted((a, b) => (down ? -order(a, b) : order(a, b)));
}

export const hasProblem = ({ parts }: SiteRow): boolean =>
  parts.some(({ certificate: { problem } }) => problem !== null);

const byUrgency = (a: Certificate, b: Certificate): number =>
  LEVELS.indexOf(stateOf(a).level) - LEVELS.indexOf(stateOf(b).level) ||
  Number(renewsItself(a)) - Number(renewsItself(b)) ||
  compare(a.notAfter ?? '', b.notAfter ?? '');

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The most urgent first. */
const LEVELS = ['bad', 'warn', 'plain'] as const;
export type State = { level: (typeof LEVELS)[number]; label: string };

const BARE: Partial<Record<string, string>> = {
  ACME: 'refused',
  OFFLINE: 'authority not reached',
};

/** How a certificate is, and for how long, in a few words. */
export function stateOf(one: Certificate): State {
  const { issuer, daysLeft, problem, advice, checkedAt } = one;
  if (issuer === null || daysLeft === null) {
    if (problem === null) return { level: 'plain', label: checkedAt ? 'none yet' : 'not checked' };
    return { level: 'bad', label: BARE[advice?.code ?? ''] ?? 'no certificate' };
  }
  if (daysLeft < 0) return { level: 'bad', label: 'expired' };
  if (renewsItself(one)) return { level: 'plain', label: 'renews itself' };
  const left = daysLeft === 0 ? 'less than a day' : plural(daysLeft, 'day');
  return problem === null
    ? { level: 'plain', label: `valid for ${left}` }
    : { level: 'warn', label: `not renewed, ${left} left` };
}

/** Whether Caddy's own authority signs it, for hours at a time, and nothing is wrong with that. */
export const renewsItself = ({ authority, issuer, problem }: Certificate): boolean =>
  authority === 'internal' && issuer !== null && problem === null;

/** Who signs; empty if nobody did. */
export function signer({ issuer, authority }: Certificate): string {
  if (issuer === null) return '';
  return authority === 'internal' ? 'own CA' : issuer;
}
