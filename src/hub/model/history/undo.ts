/** Undoes what the changelog has, an entry or all that a request did; a refusal names the later entries that are in the way. */
import { Failure } from '../../../shared/failure.ts';
import { listed } from '../../../shared/one-line.ts';
import type { Change } from '../changes.ts';
import { kindOf } from '../entities.ts';
import { type Changelog, MAX_LATER, type StoredEntry } from './changelog.ts';
import { type Standing, settled, undoing } from './revert-group.ts';

export type Undo = {
  change: Change<unknown>;
  /** What the first entry about a kept certificate calls it: those are for owners. */
  certificate: string | undefined;
};

/** Names of changed things that an error lists. */
const MOST_NAMED = 10;

/** @throws Failure NOT_FOUND, REVERT_CONFLICT; when planned REVERT_CONFLICT, with the entries in the way, and as `settled` */
export const undoOfEntry = (changelog: Changelog, id: number): Undo =>
  undoOf(changelog, [changelog.find(id)], ([only], changes) => {
    const words = changes.length === 1 ? 'entry' : 'entries';
    const detail =
      changes.length > 0 ? `Changed since by ${words} ${changes.join(', ')}.` : undefined;
    return new Failure('REVERT_CONFLICT', only?.reason ?? '', { detail, changes });
  });

/** @throws Failure NOT_FOUND, REVERT_CONFLICT; when planned CHANGED_SINCE, with the entries in the way, and as `settled` */
export const undoOfGroup = (changelog: Changelog, group: number): Undo =>
  undoOf(changelog, changelog.findGroup(group), (standing, changes) => {
    const names = standing.map(({ entry }) => entry.domain);
    return new Failure(
      'CHANGED_SINCE',
      'Later changes prevent this group of changes from being undone.',
      { detail: `Changed since: ${listed(names, MOST_NAMED)}.`, changes },
    );
  });

/** @param refusal of those that cannot be undone, with the ids of the later entries about the same things */
function undoOf(
  changelog: Changelog,
  entries: readonly StoredEntry[],
  refusal: (standing: readonly Standing<StoredEntry>[], changes: number[]) => Failure,
): Undo {
  const undo = undoing(entries);
  return {
    async change(set, time) {
      const { plan, standing } = await undo(set, time);
      if (standing.length === 0) return settled(plan);
      const later = standing.flatMap(({ entry }) => changelog.laterOf(entry));
      const changes = [...new Set(later)].toSorted((a, b) => a - b).slice(0, MAX_LATER);
      throw refusal(standing, changes);
    },
    certificate: entries.find(({ domain }) => kindOf(domain) === 'certificate')?.domain,
  };
}
