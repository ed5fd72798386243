/** What a preview and a replay take: every change that the dashboard makes, and an undo. */
import { type Static, t } from 'elysia';
import type { Change } from '../model/changes.ts';
import { createChangelog } from '../model/history/changelog.ts';
import { undoOfEntry, undoOfGroup } from '../model/history/undo.ts';
import {
  changeOf,
  Operation,
  PolicyOperation,
  policyChangeOf,
  UndoEntry,
  UndoGroup,
} from '../model/operation.ts';
import { agentPreambleChange, preambleChange } from '../model/preamble-changes.ts';
import { withoutLoops } from '../model/sign-in-loop.ts';
import type { ApiContext } from './context.ts';

export const AnyOperation = t.Union(
  [
    Operation,
    t.Object({ op: t.Literal('preamble'), config: t.String() }, { title: 'ChangePreamble' }),
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
export type ChangeFrom = (operation: AnyOperation, asked: Asked) => Promise<Change<unknown>>;

export function createChangeFrom({
  db,
  publisher,
}: Pick<ApiContext, 'db' | 'publisher'>): ChangeFrom {
  const changelog = createChangelog(db);

  return async (operation, { agent, assertOwner }) => {
    switch (operation.op) {
      case 'preamble':
        return withoutLoops(
          agent ? agentPreambleChange(agent, operation.config) : preambleChange(operation.config),
        );
      case 'policy':
        return withoutLoops(await policyChangeOf(operation, publisher.current()));
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
