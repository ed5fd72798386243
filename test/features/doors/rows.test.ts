/** What is made of findings: the widest counts, and a proposal only if nobody from outside can have come. */
import { describe, expect, test } from 'bun:test';
import type { Finding } from '../../../src/features/doors/findings.ts';
import { rowsOf } from '../../../src/features/doors/rows.ts';
import type { Got, Visits } from '../../../src/features/doors/wire.ts';
import { cameWords } from '../../../src/features/doors/words.ts';
import type { SiteSet, Vhost } from '../../../src/hub/model/vhost.ts';

const NOW = new Date('2026-11-28T00:00:00Z');
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000);
const vhost = (id: number, createdAt = daysAgo(100)) =>
  ({
    id,
    domain: `${id}.example`,
    enabled: true,
    policies: [],
    except: [],
    agents: [],
    createdAt,
    updatedAt: daysAgo(0),
  }) as never as Vhost;
const NOBODY = { home: 0, outside: 0, refused: 0 };
const LAST = NOW.getTime() - 1_000;
const VISITS: Visits = {
  home: 3,
  outside: 0,
  refused: 0,
  named: 0,
  served: 0,
  last: LAST,
};
const OPEN: Got = { path: '/', opensTo: 'anyone', status: 200 };
const LOG = { since: daysAgo(60).getTime(), complete: true };
const finding = (more: Partial<Finding> = {}): Finding => ({
  vhost: vhost(1),
  got: [OPEN],
  visits: VISITS,
  log: LOG,
  ...more,
});
const rows = (findings: Finding[], { knowsVisitors = true, days = 90 } = {}) => {
  const vhosts = [...new Map(findings.map((one) => [one.vhost.id, one.vhost])).values()];
  const set = { vhosts, policies: [] } as never as SiteSet;
  return rowsOf(findings, { set, now: NOW, days, knowsVisitors });
};

test.each([
  ['is not read', [null]],
  ['is read in part', [{ ...LOG, complete: false }]],
  ['of one of two proxies is not read', [LOG, null]],
])('who came is incomplete if the log %s', (_, logs) => {
  const [row] = rows(logs.map((log) => finding({ log })));
  expect(row?.came).toMatchObject({ home: 3 * logs.length, incomplete: true });
  expect(cameWords(row?.came ?? NOBODY)).toContain('but not all of the log could be read');
  expect(rows(logs.map(() => finding()))[0]?.came).not.toHaveProperty('incomplete');
  const [none] = rows(logs.map((log) => finding({ log, visits: null })));
  expect(cameWords(none?.came ?? NOBODY)).not.toContain('no visitors');
});

describe('nothing is proposed', () => {
  test.each<[string, Partial<Finding>]>([
    ['for what somebody from outside used', { visits: { ...VISITS, outside: 1 } }],
    ['for what nobody used', { visits: null }],
    ['for what is closed', { got: [{ path: '/', opensTo: 'password', status: 401 }] }],
    ['for what may be closed', { got: [{ path: '/', opensTo: 'unsure', status: null }] }],
    ['for a log of 29 days', { log: { ...LOG, since: daysAgo(29).getTime() } }],
    ['for a log that was not read to its end', { log: { ...LOG, complete: false } }],
    ['for an empty log', { log: { since: null, complete: true } }],
    ['without a log', { log: null }],
    ['for a site of yesterday', { vhost: vhost(1, daysAgo(1)) }],
    ['for a site that may have moved', { vhost: { ...vhost(1), agents: [1] } }],
  ])('%s', (_, more) => {
    expect(rows([finding(more)])[0]?.proposal).toBeNull();
  });

  test('while the log lacks the addresses of visitors', () => {
    expect(rows([finding()], { knowsVisitors: false })[0]?.proposal).toBeNull();
  });

  test('if fewer than 30 days of the log were read', () => {
    expect(rows([finding()], { days: 29 })[0]?.proposal).toBeNull();
    expect(rows([finding()], { days: 30 })[0]?.proposal).not.toBeNull();
  });

  test('if one of two proxies had visitors from outside', () => {
    const other = finding({ visits: { ...VISITS, outside: 1 } });
    expect(rows([finding(), other])[0]?.proposal).toBeNull();
  });
});

test('what only home used is proposed, and comes first', () => {
  const used = finding({ vhost: vhost(2), visits: { ...VISITS, outside: 9 } });
  const closed = finding({ vhost: vhost(3), got: [{ path: '/', opensTo: 'nobody', status: 403 }] });
  const found = rows([closed, used, finding()]);
  expect(found.map((one) => one.vhost)).toEqual([1, 2, 3]);
  expect(found[0]?.proposal).toEqual({ policy: null, operation: { vhosts: [1] } });
});

test('the path that lets in the most counts, at whichever address and proxy', () => {
  const shut: Got = { path: '/', opensTo: 'nobody', status: 403 };
  const share: Got = { path: '/share', opensTo: 'anyone', status: 200 };
  const [row] = rows([finding({ got: [shut] }), finding({ got: [shut, share] })]);
  expect([row?.opensTo, row?.proof]).toEqual(['anyone', { path: '/share', status: 200 }]);
  expect(row?.paths).toEqual([{ path: '/', opensTo: 'nobody' }]);
});

test('what only leads to HTTPS is open to anyone', () => {
  expect(rows([finding({ got: [] })])[0]?.opensTo).toBe('anyone');
});

test('who was served where a sign-in is needed, has signed in', () => {
  const got: Got[] = [{ path: '/', opensTo: 'sign-in', status: 401 }];
  const visits = { ...VISITS, outside: 2, served: 2 };
  expect(rows([finding({ got, visits })])[0]?.came.signedIn).toBe(2);
  expect(rows([finding({ visits })])[0]?.came.signedIn).toBe(0);
});
