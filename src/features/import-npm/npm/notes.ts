/** What an import has to say about a host besides: the same words for the same matter, so that clients can group them. */
import { type Static, t } from 'elysia';
import { listed } from '../../../shared/one-line.ts';

export const Note = t.Object({
  domain: t.Union([t.String(), t.Null()], {
    description: 'of the site that it is about; null: of none, such as a stream',
  }),
  level: t.UnionEnum(['info', 'warning', 'error'], {
    description:
      '`error`: the site is off until you decide; `warning`: it behaves otherwise than before, or there is something to do; `info`: nothing to do',
  }),
  text: t.String(),
});
export type Note = Static<typeof Note>;

/** A note about what it is returned with. */
export type Remark = Omit<Note, 'domain'>;

const MOST_NAMED = 10;

/** Such as `“ann”, “bob”`, for a remark about all of them; of many, the first. */
export function named(names: readonly string[]): string {
  const all = [...new Set(names)].map((name) => `“${name}”`);
  return listed(all, MOST_NAMED);
}
