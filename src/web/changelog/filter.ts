/** The filter of the changelog, in the page's address and in the API's. Pure. */
import type { Entry } from '../lib/types.ts';
import { WORDS } from './describe.ts';

/** `user` is an id; empty texts do not filter. */
export type ChangeFilter = {
  domain: string;
  user: string;
  action: Entry['action'] | '';
  /** Of one request. */
  group: string;
};

/** Reads the filter from an address; unknown actions and groups that are no numbers count as absent. */
export function readFilter(query: URLSearchParams): ChangeFilter {
  const action = query.get('action') ?? '';
  const group = query.get('group') ?? '';
  return {
    domain: query.get('domain') ?? '',
    user: query.get('user') ?? '',
    action: isAction(action) ? action : '',
    group: /^[1-9]\d{0,14}$/.test(group) ? group : '',
  };
}

export const isAction = (text: string): text is Entry['action'] => Object.hasOwn(WORDS, text);

/** `domain=a.example&action=create`; empty if it shows everything. */
export function queryOf(filter: ChangeFilter): string {
  return new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== '')).toString();
}

/** The address of a filter. */
export function addressOf(filter: ChangeFilter): string {
  const query = queryOf(filter);
  return query === '' ? '/changelog' : `/changelog?${query}`;
}
