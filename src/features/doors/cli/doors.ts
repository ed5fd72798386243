/** `signalbox doors`: who gets in to each site, and who came, as the page "What is open". */
import type { FeatureCommand } from '../../../feature.ts';
import { answerOf, jsonLine, usingHub } from '../../../program/cli/api/local-hub.ts';
import { chosenHub, HUB_OPTION } from '../../../program/cli/api/remote-hub.ts';
import type { Cli, Given } from '../../../program/cli/command.ts';
import { visible } from '../../../shared/visible.ts';
import type { DoorView } from '../schemas.ts';
import { cameWords, OPENS_WORDS } from '../words.ts';

export const doorsCommand: FeatureCommand = {
  follows: 'status',
  name: 'doors',
  isSeldom: true,
  args: [],
  options: {
    json: { summary: 'print JSON: the whole answer of GET /api/doors' },
    hub: HUB_OPTION,
  },
  summary: 'list who gets in to each site, and who came',
  help: `Prints the sites, the most surprising first, with tabs between who gets in, the site, and who
came in the last 90 days. A site that nobody uses from outside ends with "can be closed". A test
Caddy is asked, so your services notice nothing.

Without --hub, the hub must be running with the same DATA_DIR. You need no password, but must be
root or the user who runs the hub.
`,
  run: (given, cli) =>
    usingHub({ command: 'doors', wrong: null, run: () => printDoors(given, cli) }, cli),
};

async function printDoors(given: Given, cli: Cli): Promise<void> {
  const hub = await chosenHub(given, cli);
  const doors = await cli.progress.during(
    'asking each site',
    hub({ path: '/doors' }).then((answer) => answerOf<DoorView[]>(answer)),
  );
  cli.out(given.has('json') ? jsonLine(doors) : doors.map(lineOf).join(''));
}

const lineOf = ({ opensTo, domain, came, proposal }: DoorView): string => {
  const close = proposal ? ['can be closed'] : [];
  const cells = [OPENS_WORDS[opensTo].words, domain, cameWords(came), ...close];
  return `${cells.map(visible).join('\t')}\n`;
};
