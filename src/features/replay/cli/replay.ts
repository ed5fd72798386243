/** `signalbox replay`: what a change would have done to the requests of the last days. */
import type { FeatureCommand } from '../../../feature.ts';
import {
  type AskHub,
  answerOf,
  failRefused,
  jsonLine,
  Refused,
  readGiven,
} from '../../../program/cli/api/local-hub.ts';
import { chosenHub, HUB_OPTION } from '../../../program/cli/api/remote-hub.ts';
import { type Site, siteWith } from '../../../program/cli/api/sites.ts';
import { type Cli, EXIT, type Given } from '../../../program/cli/command.ts';
import { REPLAY_DAYS, REPLAY_REQUESTS } from '../wire.ts';
import { createReplaying, printReplay } from './replaying.ts';

/** As of `apply --plan`: 2 is not wrong usage here. */
const EXITS = { same: EXIT.done, failed: EXIT.failed, differs: 2 } as const;

export const replay: FeatureCommand = {
  follows: 'undo',
  name: 'replay',
  args: [{ name: 'FILE', optional: true }],
  options: {
    site: { takes: 'DOMAIN', summary: 'FILE is a new config of this site' },
    undo: {
      takes: 'NUMBER',
      summary: 'instead of FILE: undo this group of the changelog',
    },
    days: { takes: 'N', summary: `how far back; by default ${REPLAY_DAYS.usual}` },
    requests: {
      takes: 'N',
      summary: `how many distinct requests at most; by default ${REPLAY_REQUESTS.usual}`,
    },
    agent: { takes: 'NAME', summary: 'only at this agent’s proxy' },
    'signed-in': { summary: 'also as visitors whom a sign-in service has let in' },
    json: { summary: 'print JSON: the whole answer of GET /api/replays/ID' },
    hub: HUB_OPTION,
  },
  summary: 'ask what a change would have done to the last days’ requests',
  help: `signalbox replay --site app.example FILE   a new config of this site; - is standard input
signalbox replay --undo 12                 an undo
signalbox replay FILE                      JSON: operations, as POST /api/replays takes them, or one

Changes nothing. The agent takes the distinct requests of the last days from its access log, asks
two separate Caddys, one with what is live and one with what would be, and compares what they
answer. No upstream gets a request. Prints how many answer the same, then what differs, the most
serious first, and what was left out. Ctrl+C ends it. More: docs/replay.md

Without --hub, the hub must be running with the same DATA_DIR. You need no password, but must be
root or the user who runs the hub. With --hub, SIGNALBOX_TOKEN (or a file, SIGNALBOX_TOKEN_FILE)
has an API token of an editor.
`,
  exits: {
    misused: EXITS.failed,
    help: 'Exit codes: 0 all answer the same; 1 refused or failed, or wrong usage; 2 some would not.\n',
  },
  async run(given, cli) {
    try {
      return await replayGiven(given, cli);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return failRefused('replay', error.refusal, cli);
    }
  },
};

/** @throws Refused */
async function replayGiven(given: Given, cli: Cli): Promise<number> {
  const { has, value } = given;
  const days = numberOf('days', REPLAY_DAYS, given);
  const requests = numberOf('requests', REPLAY_REQUESTS, given);
  const agent = value('agent');
  assertFits(given);
  const hub = await chosenHub(given, cli);
  const operations = await operationsOf(given, hub);
  const body = { operations, days, requests, ...(agent !== undefined && { agent }) };
  const path = `/replays${has('signed-in') ? '?signedIn=true' : ''}`;
  const replaying = createReplaying(hub, cli);
  const start = async () => {
    const { id } = await answerOf<{ id: string }>(
      await replaying.ask({ method: 'POST', path, body }),
    );
    return { replay: id };
  };
  const started = await cli.progress.during('checking', replaying.started(start()));
  const found = await replaying.finished(started);
  if (has('json')) cli.out(jsonLine(found));
  const write = has('json') ? () => undefined : cli.out;
  printReplay(found, { days, write, paint: cli.paint });
  return found.differ > 0 ? EXITS.differs : EXITS.same;
}

/** @throws Refused */
function numberOf(
  option: string,
  { least, most, usual }: typeof REPLAY_DAYS | typeof REPLAY_REQUESTS,
  { value }: Given,
): number {
  const given = value(option) ?? String(usual);
  if (/^\d{1,5}$/.test(given) && Number(given) >= least && Number(given) <= most) {
    return Number(given);
  }
  throw new Refused({ message: `--${option} takes a number from ${least} to ${most}` });
}

/** @throws Refused unless the words fit together */
function assertFits({ args: [file], has, value }: Given): void {
  const undo = value('undo');
  const wrong =
    undo === undefined
      ? file === undefined &&
        (has('site') ? '--site needs a FILE, or -' : 'give a FILE, or --undo NUMBER')
      : file !== undefined || has('site')
        ? '--undo takes no FILE and no --site'
        : !/^[1-9]\d{0,13}$/.test(undo) && '--undo takes the number of a group in the changelog';
  if (wrong) throw new Refused({ message: wrong });
}

/** @throws Refused */
async function operationsOf(
  { args: [file = ''], value }: Given,
  hub: AskHub,
): Promise<readonly unknown[]> {
  const [undo, name] = [value('undo'), value('site')];
  if (undo !== undefined) return [{ op: 'undo', group: Number(undo) }];
  const text = await readGiven(file);
  if (name !== undefined) {
    const { id } = siteWith(name, await answerOf<Site[]>(await hub({ path: '/vhosts' })));
    return [{ op: 'update', id, config: text }];
  }
  try {
    return [JSON.parse(text)].flat();
  } catch {
    throw new Refused({ message: `${file} is not JSON`, hint: 'For a config, use --site DOMAIN.' });
  }
}
