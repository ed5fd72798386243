/** One trial: asks a Caddy that visitors do not reach for each site, as somebody whom nobody knows. */
import { type Got, TRIAL_MS, type TrialRequest } from '../../../src/features/doors/wire.ts';
import type { JsonObject } from '../../../src/shared/json.ts';
import { memoryLimit } from '../../caddy/config/adapt.ts';
import type { StartTrial } from '../../caddy/process/trial-caddy.ts';
import { askAll } from '../replay/ask-all.ts';
import type { Outcome } from '../replay/compare.ts';
import { ANSWER_MS } from '../replay/connection.ts';
import { startStage } from '../replay/stage.ts';
import { asWithoutCertificate } from './certificates.ts';
import { ANY_PATH, type Asked, type Door, doorsAt, gotAt, note, questionAt } from './door.ts';
import { sitesIn } from './site.ts';
import { liesOf, membersOf, strangersTo } from './strangers.ts';
import { type Verdict, verdictOf } from './verdict.ts';

type TrialDeps = {
  start: StartTrial;
  /** What is live, as adapted. */
  config: JsonObject;
  /** Whether Caddy can be told a visitor's address. */
  knowsAddresses: boolean;
  signal: AbortSignal;
};

const NOT_ASKED = `Not asked within ${TRIAL_MS / 1_000} s`;
const NOT_ANSWERED = `No answer within ${ANSWER_MS / 1_000} s`;
const UNKNOWN = 'It cannot be tried';

/**
 * @returns what was got, in the order of the places
 * @throws as `start`; the reason of the signal
 */
export async function tryDoors(
  { places }: TrialRequest,
  { start, config: live, knowsAddresses, signal }: TrialDeps,
): Promise<Got[][]> {
  const config = asWithoutCertificate(live);
  const end = performance.now() + TRIAL_MS;
  const reasons: string[] = [];
  const numberOf = (reason: string) => {
    const known = reasons.indexOf(reason);
    return known < 0 ? reasons.push(reason) - 1 : known;
  };
  const late = { unplayed: numberOf(NOT_ANSWERED) };
  const notAsked = { unplayed: numberOf(NOT_ASKED) };
  const stage = await startStage(
    { start, configs: [config], commandsAfter: undefined, knowsAddresses },
    { hosts: null, memory: memoryLimit(JSON.stringify(config)) },
    numberOf,
  );
  const word = crypto.randomUUID().slice(0, 8);
  const how = { pass: stage.pass, unknown: `/${word}` };

  async function outcomesOf(asked: readonly Asked[]): Promise<Map<Asked, Outcome>> {
    const found = new Map<Asked, Outcome>();
    await askAll(asked, { stage, knowsAddresses, signal, end, late }, (one, outcomes) => {
      found.set(one, outcomes?.[0] ?? notAsked);
    });
    return found;
  }

  /** What each got; nothing for those that only lead to HTTPS. */
  async function ask(asked: readonly Asked[]): Promise<[Asked, Verdict][]> {
    const outcomes = await outcomesOf(asked);
    const signIns = new Map<Door, Set<string>>();
    for (const [{ door }, outcome] of outcomes) {
      const known = signIns.get(door) ?? new Set();
      signIns.set(door, known);
      if ('reply' in outcome && outcome.isSignIn && outcome.reply.to) known.add(outcome.reply.to);
    }
    // It is the site itself if anybody gets there who asks for nothing else.
    for (const [{ door, label }, outcome] of outcomes) {
      const isMain = label === `${door.prefix}/` || label === `${door.prefix}${ANY_PATH}`;
      if (!isMain || !('reply' in outcome) || outcome.isSignIn) continue;
      signIns.get(door)?.delete(outcome.reply.to ?? '');
    }
    // A response of Caddy's own may be what it says to somebody who is not signed in.
    const doubtful = [...outcomes].filter(
      ([{ door }, one]) => door.site.hasAnswers && 'reply' in one && one.reply.to === null,
    );
    stage.signIn(true);
    const signedIn = await outcomesOf(doubtful.map(([one]) => one));
    stage.signIn(false);
    return [...outcomes].flatMap(([one, outcome]): [Asked, Verdict][] => {
      const { door, isMember } = one;
      const { hasFiles, hasOpenFiles } = door.site;
      const verdict = verdictOf(outcome, {
        reasonOf: (number) => reasons[number] ?? UNKNOWN,
        signIns: signIns.get(door) ?? new Set(),
        hasFiles: isMember ? hasFiles : hasOpenFiles,
        host: door.host,
        tls: door.tls,
      });
      if (verdict === null) return [];
      const after = signedIn.get(one);
      const isOther = after !== undefined && !Bun.deepEquals(after, outcome);
      return [[one, isOther ? { ...verdict, opensTo: 'sign-in' } : verdict]];
    });
  }

  /**
   * Where an address may matter, asks the same as a stranger with IPv6, and then as liars and as those who belong there.
   * @param before what strangers with IPv4 have asked
   */
  async function askAsOthers(before: readonly Asked[]): Promise<void> {
    const asked = [...Map.groupBy(before, ({ door }) => door)].flatMap(([door, same]) => {
      const { got, prefix } = door;
      const { networks } = door.site;
      if (networks.length === 0 || [...got.values()].some(isOpen)) return [];
      const refused = [...got].find(
        ([label, one]) => label.startsWith(`${prefix}/`) && isRefused(one),
      );
      const label = refused?.[0].slice(prefix.length) ?? '/';
      const path = label === ANY_PATH ? how.unknown : label;
      const plain = { method: 'GET', path, headers: [] };
      const { ipv4, ipv6 } = strangersTo(networks);
      const own = membersOf(networks);
      const liars = own.map((member) => ({ ...plain, as: ipv4, headers: liesOf(member) }));
      const inside = refused ? own.map((as) => questionAt(door, { ...plain, as }, how)) : [];
      return [
        ...same.map((one) => ({ ...one, as: ipv6 })),
        ...liars.map((one) => ({ ...questionAt(door, one, how), isLure: false })),
        ...inside.map((one) => ({ ...one, isMember: true })),
      ];
    });
    for (const [one, verdict] of await ask(asked)) {
      if (isRefused(verdict) || verdict.opensTo === 'unsure') continue;
      if (one.isMember) toNetworks(one.door);
      else note(one, verdict);
    }
  }

  try {
    const [side] = stage.sides;
    if (!side) return [];
    const finding = { side, siteOf: sitesIn(config), unknown: word };
    const found = places.map(({ name, port }) => doorsAt(name, port, finding));
    const asked = found.flatMap((doors, at) =>
      doors.flatMap((door) => {
        if (!('site' in door)) return [];
        const { ipv4: as } = strangersTo(door.site.networks);
        const paths = new Set([...(places[at]?.paths ?? []), how.unknown]);
        const plain = [...paths].map((path) => ({ method: 'GET', path, headers: [] }));
        return [...door.site.lures, ...plain].map((one) => questionAt(door, { ...one, as }, how));
      }),
    );
    for (const [one, verdict] of await ask(asked)) note(one, verdict);
    await askAsOthers(asked);
    return found.map((doors) =>
      doors.flatMap((one) => ('site' in one ? gotAt(one) : [{ path: '/', ...one }])),
    );
  } finally {
    await stage.end();
  }
}

const isOpen = ({ opensTo }: Verdict): boolean => opensTo === 'anyone';
const isRefused = ({ opensTo }: Verdict): boolean => opensTo === 'nobody';

/** What refuses strangers refuses them for their address. */
function toNetworks({ got }: Door): void {
  for (const [path, one] of got) {
    if (isRefused(one)) got.set(path, { ...one, opensTo: 'networks' });
  }
}
