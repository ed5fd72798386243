/** The states behind a polled status: asked for seldom, and never waited for. */
import { expect, test } from 'bun:test';
import { PACE } from '../../../src/hub/pace.ts';
import { createRecentSites } from '../../../src/hub/watch/agent-facts.ts';
import { Failure } from '../../../src/shared/failure.ts';
import type { SiteState } from '../../../src/shared/wire/sites.ts';
import { siteState } from '../../harness/facts.ts';

const site = (name: string) => siteState({ name });
const namesOf = (sites: readonly SiteState[] | null) => sites?.map(({ name }) => name) ?? null;

/** Stands in for an agent that answers when the test says so. */
function start() {
  let time = 0;
  let isOnTrial = false;
  let published = { at: new Date(0), milliseconds: 0, changes: 0 };
  const asked: PromiseWithResolvers<{ sites: SiteState[] }>[] = [];
  const client = {
    sites() {
      const answer = Promise.withResolvers<{ sites: SiteState[] }>();
      asked.push(answer);
      return answer.promise;
    },
  };
  const recent = createRecentSites(
    { id: 1, client },
    { isOnTrial: () => isOnTrial, lastPublish: () => published },
    () => time,
    PACE.recentSites,
  );
  return {
    asked,
    read: () => recent().then(({ sites }) => namesOf(sites)),
    isCurrent: () => recent().then((found) => found.isCurrent),
    publish: () => {
      published = { ...published, changes: 1 };
    },
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
    setOnTrial: (is: boolean) => {
      isOnTrial = is;
    },
  };
}

test('nothing is known of an agent that does not answer, and it is asked one question at a time', async () => {
  const { asked, read } = start();
  expect(await Promise.all([read(), read()])).toEqual([null, null]);
  expect(await read()).toBeNull();
  expect(asked).toHaveLength(1);
  asked[0]?.reject(new Failure('AGENT_UNREACHABLE', 'gone'));
  expect(await read()).toBeNull();
  const again = read();
  expect(asked).toHaveLength(2);
  asked[1]?.resolve({ sites: [site('a')] });
  expect(await again).toEqual(['a']);
});

test('an answer serves for eight seconds, a late one takes its place, and after a minute it is void', async () => {
  const { asked, read, pass } = start();
  const first = read();
  asked[0]?.resolve({ sites: [site('a')] });
  expect(await first).toEqual(['a']);
  pass(7_999);
  expect(await read()).toEqual(['a']);
  expect(asked).toHaveLength(1);
  pass(1);
  expect(await read()).toEqual(['a']);
  expect(asked).toHaveLength(2);
  pass(51_999);
  expect(await read()).toEqual(['a']);
  pass(1);
  expect(await read()).toBeNull();
  asked[1]?.resolve({ sites: [site('b')] });
  expect(await read()).toEqual(['b']);
  expect(asked).toHaveLength(2);
});

test('after a publish it is asked at once, and until it answers, what it said is not current', async () => {
  const { asked, read, isCurrent, publish } = start();
  expect(await isCurrent()).toBe(false);
  asked[0]?.resolve({ sites: [site('a')] });
  expect([await read(), await isCurrent()]).toEqual([['a'], true]);
  publish();
  expect([await read(), await isCurrent()]).toEqual([['a'], false]);
  expect(asked).toHaveLength(2);
  asked[1]?.resolve({ sites: [site('b')] });
  expect([await read(), await isCurrent()]).toEqual([['b'], true]);
});

test('what is said of a change that may be taken back does not count', async () => {
  const { asked, read, pass, setOnTrial } = start();
  const first = read();
  asked[0]?.resolve({ sites: [site('a')] });
  expect(await first).toEqual(['a']);
  const reading = [
    [true, true],
    [true, false],
    [false, true],
  ] as const;
  for (const [at, [before, after]] of reading.entries()) {
    pass(8_000);
    setOnTrial(before);
    const second = read();
    setOnTrial(after);
    asked[at + 1]?.resolve({ sites: [site('b')] });
    expect(await second).toEqual(['a']);
  }
  setOnTrial(false);
  const last = read();
  asked.at(-1)?.resolve({ sites: [site('c')] });
  expect(await last).toEqual(['c']);
});
