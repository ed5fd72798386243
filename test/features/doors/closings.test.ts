/** Which sites count as closed: for 30 days after a change that put a policy on them, and no other one. */
import { expect, test } from 'bun:test';
import { createClosings } from '../../../src/features/doors/closings.ts';
import { changelog } from '../../../src/hub/db/schema.ts';
import type { Vhost } from '../../../src/hub/model/vhost.ts';
import { startDatabase } from '../../harness/database.ts';
import { forFile } from '../../harness/for-file.ts';
import { storedPolicy, storedVhost } from '../../harness/vhost.ts';

const { db } = await forFile(Promise.resolve(startDatabase()));
const DAY_MS = 86_400_000;
const AT = new Date('2026-11-28T12:00:00Z');
const lan = storedPolicy({ id: 1 });
const robots = storedPolicy({ id: 2, recipe: 'robots' });

/** Records a change of a site. @param before the ids of its policies @param after them and the rest, as it is now */
function changed(domain: string, before: readonly number[], after: Partial<Vhost>): Vhost {
  const vhost = storedVhost({ domain, updatedAt: AT, ...after });
  db.insert(changelog)
    .values({
      userId: '1',
      userName: 'Ada',
      action: 'update',
      domain,
      createdAt: AT,
      before: JSON.stringify({ policies: before }),
      after: JSON.stringify({ policies: vhost.policies.map(({ id }) => id) }),
      group: 7,
    })
    .run();
  return vhost;
}

function closedAt(vhost: Vhost, days: number) {
  const now = () => new Date(AT.getTime() + days * DAY_MS);
  const publisher = { current: () => ({ vhosts: [vhost] }) } as never;
  return createClosings({ db, now, publisher })();
}

test.each<[string, readonly number[], Partial<Vhost>]>([
  ['a policy that it had', [1], { policies: [lan] }],
  ['a policy that decides about nobody', [], { policies: [robots] }],
  ['a site that is off', [], { policies: [lan], enabled: false }],
  ['a policy that was changed since', [], { policies: [{ ...lan, updatedAt: new Date(+AT + 1) }] }],
])('%s closes nothing', (name, before, after) => {
  expect(closedAt(changed(`http://${name.replaceAll(' ', '-')}`, before, after), 1)).toEqual([]);
});

test('a site that was changed since is not as the change left it', () => {
  const vhost = changed('http://since', [], { policies: [lan] });
  expect(closedAt({ ...vhost, updatedAt: new Date(+AT + 1) }, 1)).toEqual([]);
});

test('a policy more closes a site, for 30 days', () => {
  const vhost = changed('http://closed', [2], { policies: [lan, robots] });
  expect(closedAt(vhost, 29.9)).toEqual([{ vhost, policies: [lan], group: 7 }]);
  expect(closedAt(vhost, 30)).toEqual([]);
});
