/** Seals the targets that 0.1 stored in clear. */
import { eq, sql } from 'drizzle-orm';
import { type Db, inTransaction } from '../../hub/db/open.ts';
import type { Sealing } from '../../hub/db/sealing.ts';
import { type Log, reasonOf } from '../../shared/log.ts';
import { channels } from './tables.ts';

/** As what the target of a channel is sealed. */
export const ofTarget = (id: number): string => `channels ${id} target`;

/**
 * Leaves no target in clear, neither in the database nor in its log. Never fails: what is not sealed stays as
 * it is and is tried again at the next start; until then, its channel gets no messages.
 */
export function sealTargets(db: Db, sealing: Sealing, log: Log): void {
  try {
    const isClear = sql`substr(${channels.target}, 1, 1) = ${Buffer.from('{')}`;
    const clear = db.select().from(channels).where(isClear).all();
    if (clear.length === 0) return;
    // Targets that were changed or deleted may have left remains.
    db.run(sql`VACUUM`);
    // What is overwritten below leaves none.
    db.run(sql`PRAGMA secure_delete = ON`);
    inTransaction(db, (tx) => {
      for (const { id, target } of clear) {
        const sealed = sealing.seal(target.toString('utf8'), ofTarget(id));
        tx.update(channels).set({ target: sealed }).where(eq(channels.id, id)).run();
      }
    });
    db.run(sql`PRAGMA wal_checkpoint(TRUNCATE)`);
  } catch (error) {
    log('targets of channels not sealed', { reason: reasonOf(error) }, 'error');
  }
}
