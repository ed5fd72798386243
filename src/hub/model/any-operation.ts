/** What a preview and a replay take: every change that the dashboard makes, and an undo. */
import { type Static, t } from 'elysia';
import type { Db } from '../db/open.ts';
import type { Change } from './changes.ts';
import { createChangelog } from './history/changelog.ts';
import { undoOfEntry, undoOfGroup } from './history/undo.ts';
import {
  changeOf,
  Operation,
  PolicyOperation,
  policyChangeOf,
  UndoEntry,
  UndoGroup,
} from './operation.ts';
import { preambleChangeOf, TrustedProxies } from './preamble-changes.ts';
import { withoutLoops } from './sign-in-loop.ts';
import type { SiteSet } from './vhost.ts';

export const AnyOperation = t.Union(
  [
    Operation,
    t.Object(
      {
        op: t.Literal('preamble'),
        config: t.Optional(t.String()),
        trustedProxies: t.Optional(TrustedProxies),
      },
      { title: 'ChangePreamble' },
    ),
    PolicyOperation,
    UndoEntry,
    UndoGroup,
  ],
  { title: 'AnyOperation' },
);
export type AnyOperation = Static<typeof AnyOperation>;

type Asked = {
  /** Whose own preamble an operation changes; without, the common one. */
  agent?: string | undefined;
  /** As `Guard` has it. */
  assertOwner: () => void;
};

/** @throws Failure, here: INVALID_REQUEST, NOT_FOUND, REVERT_CONFLICT, and as `assertOwner`; when planned, as the change */
type ChangeFrom = (operation: AnyOperation, asked: Asked) => Promise<Change<unknown>>;

/** @param current the set that is stored */
export function createChangeFrom(db: Db, current: () => SiteSet): ChangeFrom {
  const changelog = createChangelog(db);

  return async (operation, { agent, assertOwner }) => {
    switch (operation.op) {
      case 'preamble':
        return withoutLoops(preambleChangeOf(operation, agent));
      case 'policy':
        return withoutLoops(await policyChangeOf(operation, current()));
      case 'undo': {
        const undo =
          'id' in operation
            ? undoOfEntry(changelog, operation.id)
            : undoOfGroup(changelog, operation.group);
        if (undo.certificate !== undefined) assertOwner();
        return undo.change;
      }
      default:
        return withoutLoops(changeOf(operation));
    }
  };
}
