// proof: hub
/** Random pairs of stored things that one of two proxies cannot take: the other one is changed as ever. */
import { beforeAll, expect, test } from 'bun:test';
import { forFile } from '../../harness/for-file.ts';
import { some } from '../../harness/full.ts';
import { seededRandom } from '../../harness/random.ts';
import {
  LACKING,
  type Refusal,
  sharedPreamble,
  startUnevenFleet,
} from '../../harness/uneven-fleet.ts';

const PAIRS = some(30, 100, 'PAIRS');
const SEED = 20261127;

/** Each with a word of Caddy's refusal. */
type Needy = { kind: 'preamble' | 'site'; text: string; words: string };
const NEEDY: readonly [Needy, ...Needy[]] = [
  { kind: 'preamble', text: 'grace_period {$NEEDED}', words: 'grace_period' },
  { kind: 'preamble', text: 'shutdown_delay {$NEEDED}', words: 'shutdown_delay' },
  { kind: 'site', text: 'basicauth {\n\tada {$NEEDED_HASH}\n}', words: 'username and password' },
  { kind: 'site', text: 'handle {\n\tmethod {$NEEDED}\n}', words: 'argument count' },
  {
    kind: 'site',
    text: 'reverse_proxy 127.0.0.1:9 {\n\tfail_duration {$NEEDED}\n}',
    words: 'argument count',
  },
  {
    kind: 'site',
    text: 'reverse_proxy 127.0.0.1:9 {\n\tlb_try_duration {$NEEDED}\n}',
    words: 'argument count',
  },
];

const fleet = await forFile(startUnevenFleet());
const random = seededRandom(SEED);
let count = 0;
const nextHost = () => `n${++count}.example`;

type Site = Refusal & { id: number; behind?: string[] };
const create = (config: string, more: object = {}) =>
  fleet.call<Site>('POST', '/vhosts', { domain: `http://${nextHost()}`, config, ...more });

beforeAll(() => create('respond old'));

test(`of ${PAIRS} pairs (seed ${SEED})`, async () => {
  for (let pair = 1; pair <= PAIRS; pair++) {
    const one = random.pick(NEEDY);
    const both = [one, random.pick(NEEDY.filter((other) => other !== one) as [Needy])];
    const named = `pair ${pair}: ${both.map(({ text }) => text).join(' and ')}`;
    const bad = await store(both);
    for (let more = 0; more < 2; more++) await changeElsewhere(named);
    await sendMistakes(named);
    await repair(both, bad, named);
    await changeElsewhere(named);
    await clear(bad);
  }
});

/** Has both stored while the one that refuses them is paused. @returns the ids of the sites */
async function store(both: readonly Needy[]): Promise<number[]> {
  await fleet.pause(true);
  await fleet.setShared(sharedPreamble(optionsOf(both)));
  const bad: number[] = [];
  for (const { kind, text } of both) if (kind === 'site') bad.push((await create(text)).body.id);
  await fleet.pause(false);
  if (random.below(2) === 0) await fleet.untilState(LACKING, 'refused');
  return bad;
}

const optionsOf = (both: readonly Needy[]) =>
  both.flatMap(({ kind, text }) => (kind === 'preamble' ? [text] : [])).join('\n\t');

async function changeElsewhere(named: string): Promise<void> {
  const agents = random.pick<string[]>([[], ['local']]);
  const made = await create('respond x', { agents });
  expect([named, made.text, made.status]).toEqual([named, made.text, 201]);
  const path = `/vhosts/${made.body.id}`;
  const changed = await fleet.call('PUT', path, { config: 'respond y' });
  expect([named, changed.text, changed.status]).toEqual([named, changed.text, 200]);
  const gone = await fleet.call('DELETE', path);
  expect([named, gone.text, gone.status]).toEqual([named, gone.text, 200]);
}

async function sendMistakes(named: string): Promise<void> {
  const typo = await create('respnd x');
  expect([named, typo.status, typo.body.detail]).toEqual([
    named,
    502,
    expect.stringContaining('respnd'),
  ]);
  const third = random.pick(NEEDY.filter(({ kind }) => kind === 'site') as [Needy]);
  const refused = await create(`respond /other ok\n${third.text}`);
  expect([named, refused.status, refused.body.agent, refused.body.line]).toEqual([
    named,
    502,
    LACKING,
    3,
  ]);
  expect(refused.body.detail).toContain(third.words);
  const own = await fleet.setOwn(sharedPreamble('no_such_option'));
  expect([named, own.status, own.body.detail]).toEqual([
    named,
    502,
    expect.stringContaining('no_such_option'),
  ]);
}

/** By one step alone. */
async function repair(both: readonly Needy[], bad: readonly number[], named: string) {
  const steps = [
    () => fleet.pause(true),
    ...(optionsOf(both) === '' ? [] : [() => fleet.setOwn(sharedPreamble())]),
    ...bad.map((id) => () => fleet.call('PUT', `/vhosts/${id}`, { agents: ['local'] })),
  ] as const;
  const { status, text } = await random.pick(steps as [(typeof steps)[0]])();
  expect([named, text, status]).toEqual([named, text, 200]);
}

async function clear(bad: readonly number[]): Promise<void> {
  await fleet.pause(true);
  for (const id of bad) expect((await fleet.call('DELETE', `/vhosts/${id}`)).status).toBe(200);
  await fleet.setShared(sharedPreamble());
  await fleet.pause(false);
  expect((await fleet.setOwn(null)).status).toBe(200);
  await fleet.untilState(LACKING, 'in-step');
}
