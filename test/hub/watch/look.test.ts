/** What is wrong with the hub itself, and disks that several programs of a machine see. */
import { expect, test } from 'bun:test';
import { EMPTY_SET } from '../../../src/hub/model/vhost.ts';
import { PACE } from '../../../src/hub/pace.ts';
import type { Publisher } from '../../../src/hub/publish/publisher.ts';
import { createFactsReader } from '../../../src/hub/watch/agent-facts.ts';
import { NO_CHECKS } from '../../../src/hub/watch/checks.ts';
import { createLook } from '../../../src/hub/watch/look.ts';
import { createProblemList } from '../../../src/hub/watch/problem-list.ts';
import { lockedOut } from '../../../src/hub/watch/problems/hub.ts';
import { ADVISORIES_AS_OF } from '../../../src/shared/advisories.ts';
import type { Disk } from '../../../src/shared/wire/proxy.ts';
import { startHubAlone } from '../../harness/hub-alone.ts';
import { type Answer, ask, signUp } from '../../harness/stack.ts';

const disk = (id: string, what: string, free: number): Disk => ({ id, holds: [what], free });

const today = new Date(ADVISORIES_AS_OF);

/** Stands in for a hub with agents that say only how full their disks are. */
function lookerAt(now: Date, own: Disk[], theirs: Disk[][], warnings: string[] = []) {
  const status = (disks: Disk[]) => ({
    liveDigest: null,
    fileDigest: null,
    foreign: false,
    drift: false,
    restartNeeded: false,
    proxy: { running: true, version: null },
    disks,
  });
  const none = async () => ({ sites: [] });
  const agents = theirs.map((disks, i) => ({
    id: i + 1,
    name: `agent ${i + 1}`,
    client: {
      isSilent: () => false,
      sites: none,
      certificates: none,
      status: async () => status(disks),
      ports: async () => ({ ports: [] }),
    },
  }));
  const standings = agents.map((agent) => ({
    agent: { ...agent, paused: false },
    skewMs: null,
    behindSince: null,
    broken: [],
    failure: null,
    ownership: null,
    warnings: [],
  }));
  const publisher = {
    current: () => EMPTY_SET,
    standings: () => standings,
    isInStep: () => true,
    isOnTrial: () => false,
    lastPublish: () => null,
    setOf: () => EMPTY_SET,
    agents: { all: () => agents },
  } as unknown as Publisher;
  const clock = { now: () => now, elapsed: () => 0 };
  return createLook({
    publisher,
    readFacts: createFactsReader(publisher, NO_CHECKS, clock, PACE.recentSites),
    now: clock.now,
    disks: async () => own,
    keyFault: () => null,
    locked: () => ({ emails: [], isUnknown: false, networks: [] }),
    others: () => [],
    warnings,
  });
}

async function lookAt(own: Disk[], ...theirs: Disk[][]) {
  const { hub, agents: found } = await lookerAt(today, own, theirs)();
  return {
    hub: hub.map(({ message }) => message),
    agents: found.map(({ disks }) => (disks ?? []).map(({ id }) => id)),
  };
}

test('a disk that several see is the first one’s, which says all that it holds', async () => {
  const found = await lookAt(
    [disk('x', 'the hub’s data', 0.01)],
    [disk('x', 'the access log', 0.01), disk('y', 'the Caddyfile', 0.01)],
    [disk('y', 'the Caddyfile', 0.01), disk('z', 'the access log', 0.01)],
  );
  expect(found.agents).toEqual([['y'], ['z']]);
  expect(found.hub).toEqual([
    expect.stringContaining('holds the hub’s data and the access log. Delete'),
  ]);
});

test('the table of advisories is a problem, and no grave one, once it is more than 60 days old', async () => {
  const later = (days: number) => new Date(today.getTime() + days * 86_400_000);
  for (const days of [0, 1, 60, 60.99]) {
    expect((await lookerAt(later(days), [], [[]])()).hub).toEqual([]);
  }
  for (const days of [61, 400]) {
    const now = later(days);
    const problems = createProblemList()(await lookerAt(now, [], [[]])(), now);
    expect(problems.filter(({ code }) => code === 'WARNING')).toMatchObject([
      {
        ...({ code: 'WARNING', level: 'warn' } as const),
        since: later(61).toISOString(),
        message: expect.stringContaining(`as of ${ADVISORIES_AS_OF}, more than 60 days ago.`),
      },
    ]);
    expect(problems.filter(({ level }) => level === 'bad')).toEqual([]);
  }
});

test.each([1, 2])('what the hub itself has to say is about none of %d agents', async (count) => {
  const theirs = Array.from({ length: count }, () => []);
  const look = await lookerAt(today, [], theirs, ['The connection is plain'])();
  expect(createProblemList()(look, today)).toMatchObject([
    {
      ...({ code: 'WARNING', level: 'warn' } as const),
      since: today.toISOString(),
      message: 'The connection is plain.',
    },
  ]);
});

test('nobody is locked out', () => {
  expect(lockedOut({ emails: [], isUnknown: false, networks: [] })).toBeNull();
});

test('who is, is named if there is such an account, and never else', async () => {
  const stack = await startHubAlone();
  try {
    const { headers } = await signUp(stack);
    const problems = async () =>
      (
        await ask<{ problems: { code: string; message: string }[] }>(`${stack.hub}/status`, {
          headers,
        })
      ).body.problems;
    const fail = async (email: string): Promise<Answer> =>
      ask(`${stack.hub}/auth/sign-in/email`, { json: { email, password: 'wrong' } });
    const lockedNow = async () =>
      (await problems()).flatMap(({ code, message }) => (code === 'SIGN_IN_LOCKED' ? message : []));
    expect(await lockedNow()).toEqual([]);
    for (let i = 0; i < 10; i++) await fail('nobody@example.org');
    expect(await lockedNow()).toEqual([
      'Too many failed sign-ins for accounts that do not exist. Try again in 15 minutes.',
    ]);
    for (let i = 0; i < 10; i++) await fail('Ada@example.org');
    const [message = ''] = await lockedNow();
    expect(message).toContain(
      'failed sign-ins for ada@example.org and accounts that do not exist.',
    );
    for (let i = 0; i < 10; i++) await fail(`${i}@example.org`);
    expect((await lockedNow()).join()).toContain(', and from 127.0.0.1.');
    // Only what fail2ban reads has the account.
    const others = stack.lines.filter((line) => !line.includes('event="sign-in failed"'));
    expect(others.join('\n')).not.toContain('@example.org');
  } finally {
    await stack.stop();
  }
});
