/** Filters, sorts and describes certificates; the view is kept in the page's address. Pure. */
import { plural } from '../lib/format.ts';
import type { Certificate } from '../lib/types.ts';

const COLUMNS = ['name', 'issuer', 'expires'] as const;
export type Column = (typeof COLUMNS)[number];
export type View = { shown: 'all' | 'problems'; by: Column; down: boolean };

/** Reads the view from an address; unknown values count as absent. */
export function readView(query: URLSearchParams): View {
  const [, sign, column] = /^(-?)(\w+)$/.exec(query.get('sort') ?? '') ?? [];
  return {
    shown: query.get('show') === 'problems' ? 'problems' : 'all',
    by: COLUMNS.find((name) => name === column) ?? 'name',
    down: sign === '-',
  };
}

/** The address of a view; without a query if it is the first one. */
export function addressOf({ shown, by, down }: View): string {
  const query = new URLSearchParams();
  if (shown !== 'all') query.set('show', shown);
  if (by !== 'name' || down) query.set('sort', `${down ? '-' : ''}${by}`);
  const text = query.toString();
  return text ? `/certificates?${text}` : '/certificates';
}

/** The view after a click on the head of a column. */
export const sortedBy = (view: View, by: Column): View => ({
  ...view,
  by,
  down: view.by === by && !view.down,
});

/** Names without a certificate come first when they are sorted by expiry. */
export function shownRows(all: readonly Certificate[], { shown, by, down }: View): Certificate[] {
  const keyOf = ({ name, issuer, notAfter }: Certificate) =>
    by === 'name' ? name : ((by === 'issuer' ? issuer : notAfter) ?? '');
  const order = (a: Certificate, b: Certificate) =>
    compare(keyOf(a), keyOf(b)) || compare(a.name, b.name) || a.port - b.port;
  return all
    .filter(({ problem }) => shown === 'all' || problem !== null)
    .toSorted((a, b) => (down ? -order(a, b) : order(a, b)));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

type Mark = { level: 'bad' | 'warn' | 'good' | 'plain'; label: string };

/** The state of a certificate in a word or two. */
export function markOf({ issuer, daysLeft, problem, advice, checkedAt }: Certificate): Mark {
  if (issuer === null || daysLeft === null) {
    if (problem === null) return { level: 'plain', label: checkedAt ? 'none yet' : 'not checked' };
    return { level: 'bad', label: advice?.code === 'ACME' ? 'refused' : 'no certificate' };
  }
  if (daysLeft < 0) return { level: 'bad', label: 'expired' };
  return problem === null
    ? { level: 'good', label: 'valid' }
    : { level: 'warn', label: 'not renewed' };
}

/** `in 70 days`; a day or less in words. */
export function expiry({ daysLeft }: Certificate): string {
  if (daysLeft === null) return '';
  if (daysLeft < 0) return 'expired';
  return daysLeft === 0 ? 'within a day' : `in ${plural(daysLeft, 'day')}`;
}

/** Who signs; Caddy's own authority is better known as Caddy. */
export function signer({ issuer, authority }: Certificate): string {
  if (authority === 'internal') return 'Caddy itself';
  return issuer ?? '';
}
