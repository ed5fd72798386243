/** Undoes what the changelog has; a refusal names the later entries that are in the way. */
import { Failure, type FailureCode } from '../../../shared/failure.ts';
import type { Change } from '../changes.ts';
import { kindOf } from '../entities.ts';
import { type Changelog, MAX_LATER, type StoredEntry } from './changelog.ts';
import { revertChange } from './revert.ts';
import { revertGroup } from './revert-group.ts';

export type Undo = {
  change: Change<unknown>;
  /** What the first entry about a kept certificate calls it: those are for owners. */
  certificate: string | undefined;
};

/** @throws Failure NOT_FOUND; when planned as `revertChange`, with the entries in the way */
export function undoOfEntry(changelog: Changelog, id: number): Undo {
  const entry = changelog.find(id);
  const change = explained(
    'REVERT_CONFLICT',
    (set, time) => revertChange(entry)(set, time),
    (error) => {
      const changes = changelog.laterOf(entry);
      const words = changes.length === 1 ? 'entry' : 'entries';
      const detail =
        changes.length > 0 ? `Changed since by ${words} ${changes.join(', ')}.` : undefined;
      return new Failure(error.code, error.message, { detail, changes });
    },
  );
  return { change, certificate: certificateIn([entry]) };
}

/** @throws Failure NOT_FOUND, REVERT_CONFLICT; when planned as `revertGroup`, with the entries in the way */
export function undoOfGroup(changelog: Changelog, group: number): Undo {
  const entries = changelog.findGroup(group);
  const change = explained('CHANGED_SINCE', revertGroup(entries), (error) => {
    const stand = entries.filter(({ id }) => error.changes?.includes(id));
    const later = stand.flatMap((entry) => changelog.laterOf(entry));
    const changes = [...new Set(later)].toSorted((a, b) => a - b).slice(0, MAX_LATER);
    return new Failure(error.code, error.message, { detail: error.detail, changes });
  });
  return { change, certificate: certificateIn(entries) };
}

const certificateIn = (entries: readonly StoredEntry[]): string | undefined =>
  entries.find(({ domain }) => kindOf(domain) === 'certificate')?.domain;

const explained =
  (
    code: FailureCode,
    change: Change<unknown>,
    explain: (error: Failure) => Failure,
  ): Change<unknown> =>
  async (set, time) => {
    try {
      return await change(set, time);
    } catch (error) {
      throw error instanceof Failure && error.code === code ? explain(error) : error;
    }
  };
