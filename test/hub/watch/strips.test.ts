/** How sites were in the last day and month, in bars: the same as statistics, checks and changelog say. */
import { beforeAll, expect, test } from 'bun:test';
import type { Strips } from '../../../src/hub/watch/strips.ts';
import { inDatabase } from '../../harness/database.ts';
import { startFleet } from '../../harness/fleet.ts';
import { forFile } from '../../harness/for-file.ts';
import { USUAL } from '../../harness/pace.ts';
import { ask, hasFeature, until } from '../../harness/stack.ts';
import { writeLog } from '../../harness/traffic.ts';

const HOUR_MS = 3_600_000;
const BARS = 60;

const paces = { ...USUAL, hub: { ...USUAL.hub, strips: 0 } };
const fleet = await forFile(startFleet(['vps'], {}, paces));
const { stack } = fleet;
const ids = new Map<string, number>();
const idOf = (name: string) => ids.get(name) ?? 0;

async function create(name: string, more: object = {}): Promise<void> {
  const json = { domain: `http://${name}.example`, config: 'respond ok', ...more };
  const made = await fleet.call<{ id: number }>('POST', '/vhosts', json);
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  ids.set(name, made.body.id);
}

const stripsOf = async (span: Strips['span']) =>
  (await fleet.call<Strips>('GET', `/vhosts/strips?span=${span}`)).body;
const barsOf = ({ strips }: Strips, name: string) =>
  strips.find(({ id }) => id === idOf(name))?.bars ?? '';
const barOf = ({ from, to }: Strips, at: number) =>
  Math.floor(((at - Date.parse(from)) / (Date.parse(to) - Date.parse(from))) * BARS);

/** As if all had happened so many hours ago, and with checks that failed 6 of 60 times 40 and 5 hours ago. */
function backdate(): void {
  const before = (hours: number) => Date.now() - hours * HOUR_MS;
  inDatabase(stack.dataDir, (sqlite) => {
    const move = (table: string, where: string, hours: number) =>
      sqlite.run(`UPDATE ${table} SET created_at = ? WHERE ${where}`, [before(hours)]);
    move('vhosts', 'true', 2_000);
    move('vhosts', `id = ${idOf('young')}`, 3);
    move('changelog', 'true', 2_000);
    move('changelog', "domain = 'http://young.example'", 3);
    move('changelog', "action = 'toggle'", 10);
    move('changelog', "action = 'update'", 100);
    const check = sqlite.prepare('INSERT INTO uptime VALUES (?, ?, 60, ?, 5, 9)');
    const hour = Math.floor(Date.now() / HOUR_MS);
    for (let ago = 1; ago < 50; ago++) {
      check.run(idOf('checked'), hour - ago, ago === 40 || ago === 5 ? 6 : 0);
    }
  });
}

beforeAll(async () => {
  await create('busy');
  await create('quiet', { agents: ['local'] });
  await create('remote', { agents: ['vps'] });
  await create('young');
  await create('off');
  await create('gone');
  await create('checked', { check: { path: '/', every: 3_600 } });
  await fleet.call('PATCH', `/vhosts/${idOf('off')}/toggle`);
  await fleet.call('DELETE', `/vhosts/${idOf('gone')}`);
  await fleet.call('PUT', `/vhosts/${idOf('busy')}`, { config: 'respond changed' });
  await stack.restart(backdate);
  const both = (minutesAgo: number, status: number, requests: number) =>
    ['busy', 'gone'].map((name) => ({
      host: `${name}.example`,
      minutesAgo,
      requests,
      status,
    }));
  writeLog(stack, [
    { host: 'elsewhere.example', minutesAgo: 40 * 24 * 60, requests: 1, status: 200 },
    // 1 of 21, and 1 of 20.
    ...both(20 * 24 * 60, 200, 20),
    ...both(20 * 24 * 60, 502, 1),
    ...both(12 * 24 * 60, 200, 19),
    ...both(12 * 24 * 60, 502, 1),
    ...both(10 * 24 * 60, 200, 19),
    ...both(10 * 24 * 60, 502, 1),
    ...both(600, 404, 3),
    ...both(300, 503, 2),
    { host: 'young.example', minutesAgo: 60, requests: 1, status: 500 },
  ]);
  writeLog({ accessLog: fleet.other('vps').env.ACCESS_LOG }, [
    { host: 'elsewhere.example', minutesAgo: 15 * 24 * 60, requests: 1, status: 200 },
    { host: 'remote.example', minutesAgo: 120, requests: 4, status: 200 },
    // With those of the other proxy, 1 of 40.
    { host: 'busy.example', minutesAgo: 10 * 24 * 60, requests: 20, status: 200 },
  ]);
  await fleet.untilState('vps', 'in-step');
});

test('an unknown span and a stranger are refused; a viewer is not', async () => {
  for (const span of ['', 'week', 'days', 'x']) {
    const { status, body } = await fleet.call<{ code: string }>(
      'GET',
      `/vhosts/strips?span=${span}`,
    );
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST']);
  }
  expect((await ask(`${stack.hub}/vhosts/strips`)).status).toBe(401);
  const person = { name: 'v', email: 'v@example.org', password: 'a long passphrase of nobody' };
  await fleet.call('POST', '/users', { ...person, role: 'viewer' });
  const { body } = await ask<{ token: string }>(`${stack.hub}/auth/sign-in/email`, {
    json: { email: person.email, password: person.password },
  });
  const headers = { Authorization: `Bearer ${body.token}` };
  const seen = await ask<Strips>(`${stack.hub}/vhosts/strips`, { headers });
  expect([seen.status, seen.body.strips.length]).toEqual([200, 6]);
});

test.each(['day', 'month'] as const)(
  'the bars of a %s are what statistics and checks say of the same times',
  async (span) => {
    const strips = await stripsOf(span);
    const { from, to } = strips;
    const length = (Date.parse(to) - Date.parse(from)) / BARS;
    expect([strips.span, strips.bars, length]).toEqual([
      span,
      BARS,
      span === 'day' ? 24 * 60_000 : 12 * HOUR_MS,
    ]);
    expect(Date.parse(to)).toBeGreaterThan(Date.now());
    type Stats = { buckets: { requests: Record<string, number> }[] };
    type Uptime = { buckets: { from: string; asked: number; failed: number }[] };
    for (const name of ['busy', 'quiet', 'remote', 'checked'].filter(
      (one) => one !== 'checked' || hasFeature('uptime'),
    )) {
      const query = `domain=${name}.example&from=${from}&to=${to}&buckets=${BARS}`;
      const stats = (await fleet.call<Stats>('GET', `/logs/stats?${query}`)).body;
      const path = `/vhosts/${idOf(name)}/uptime?days=31`;
      const { buckets = [] } = (await fleet.call<Uptime>('GET', path)).body;
      const letters = stats.buckets.map(({ requests }, at) => {
        const begin = Date.parse(from) + at * length;
        const middle = Math.floor((begin + length / 2) / HOUR_MS) * HOUR_MS;
        const hours = buckets.filter((hour) => {
          const time = Date.parse(hour.from);
          return span === 'day' ? time === middle : time >= begin && time < begin + length;
        });
        const asked = hours.reduce((sum, one) => sum + one.asked, 0);
        const failed = hours.reduce((sum, one) => sum + one.failed, 0);
        const all = Object.values(requests).reduce((sum, one) => sum + one, 0);
        const wrong = requests['5xx'] ?? 0;
        if ((wrong > 0 && wrong / all >= 0.05) || (failed > 0 && failed / asked >= 0.05))
          return 'f';
        return all + asked > 0 ? 'u' : 'n';
      });
      // Before the younger log begins, nobody knows if there were more.
      const bars = barsOf(strips, name);
      expect(bars.replaceAll('?', 'n')).toBe(letters.join(''));
      expect(bars.includes('?')).toBe(span === 'month');
    }
  },
);

test('one failure of twenty makes a bar fail, one of more does not', async () => {
  const month = await stripsOf('month');
  const bars = barsOf(month, 'busy');
  const at = (days: number) => bars[barOf(month, Date.now() - days * 24 * HOUR_MS)];
  expect([at(20), at(12), at(10), at(14)]).toEqual(['u', 'f', 'u', 'n']);
  const day = await stripsOf('day');
  expect(barsOf(day, 'busy')).toMatch(/^n*un*fn*$/);
  expect(barsOf(day, 'remote')).toMatch(/^n*un*$/);
});

test.if(hasFeature('uptime'))(
  'a check that failed makes bars fail, without a visitor',
  async () => {
    const bars = barsOf(await stripsOf('month'), 'checked');
    // Six failures of 720 in half a day are fewer than one of twenty.
    expect(bars).toMatch(/^[?n]+u{4,6}n?$/);
    expect(barsOf(await stripsOf('day'), 'checked')).toMatch(/^u+f{2,3}u+n{0,3}$/);
  },
);

test('a site is off before it was made and after it was turned off, and gone with its end', async () => {
  const day = await stripsOf('day');
  expect(barsOf(day, 'young')).toMatch(/^o{50,53}n+fn+$/);
  expect(barsOf(day, 'off')).toMatch(/^n{34,37}o+$/);
  expect(day.strips.map(({ id }) => id)).not.toContain(idOf('gone'));
  const changes = (strips: Strips, name: string) =>
    strips.strips.find(({ id }) => id === idOf(name))?.changes;
  const near = (strips: Strips, hours: number) => barOf(strips, Date.now() - hours * HOUR_MS);
  expect(changes(day, 'young')).toEqual([expect.any(Number)]);
  expect(Math.abs((changes(day, 'young')?.[0] ?? 0) - near(day, 3))).toBeLessThan(2);
  expect([changes(day, 'busy'), changes(day, 'quiet')]).toEqual([[], []]);
  const month = await stripsOf('month');
  expect(changes(month, 'busy')).toHaveLength(1);
  expect(Math.abs((changes(month, 'busy')?.[0] ?? 0) - near(month, 100))).toBeLessThan(2);
});

test('who has the answer already gets none, until a site changes', async () => {
  const path = `${stack.hub}/vhosts/strips?span=month`;
  const etag = (await ask(path, { headers: fleet.headers })).headers.get('etag') ?? '';
  const headers = { ...fleet.headers, 'If-None-Match': etag };
  const known = await ask(path, { headers });
  expect([known.status, known.text]).toEqual([304, '']);
  await fleet.call('PUT', `/vhosts/${idOf('quiet')}`, { config: 'respond other' });
  const { body, status } = await ask<Strips>(path, { headers });
  expect(status).toBe(200);
  expect(body.strips.find(({ id }) => id === idOf('quiet'))?.changes).toEqual([BARS - 1]);
});

test('an agent that does not answer makes bars of its sites unknown, and no failure', async () => {
  await fleet.other('vps').stopOnly();
  const day = await until(async () => {
    const found = await stripsOf('day');
    return barsOf(found, 'remote').includes('?') && found;
  }, 'the missing agent');
  expect(barsOf(day, 'remote')).toMatch(/^\?+$/);
  expect(barsOf(day, 'quiet')).toMatch(/^n+$/);
  expect(barsOf(day, 'busy')).toMatch(/^\?+u\?+f\?+$/);
  expect(barsOf(day, 'off')).toMatch(/^\?+o+$/);
});
