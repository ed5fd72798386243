/** `signalbox status`: what is wrong right now, as the dashboard's status bar says. */

import { visible } from '../../../shared/visible.ts';
import type { Problem, Status } from '../../../web/lib/types.ts';
import { countedIn, headlineOf } from '../../../web/status/problems.ts';
import { type Cli, type Command, EXIT, type Given } from '../command.ts';
import { askLocalHub, jsonLine, usingHub } from './local-hub.ts';

export const status: Command = {
  name: 'status',
  args: [],
  options: { json: { summary: 'print JSON: the whole answer of GET /api/status' } },
  summary: 'list the problems; exit 0 if there are none, 1 otherwise',
  help: `Prints the problems, worst first: bad or warn, since when, the sites, and what is wrong, separated
by tabs. "bad" affects visitors or changes now, a "notice" can wait. Problems that somebody has
marked as known come last, and begin with "known"; these and notices count neither here nor in the
exit code. How many there are goes to standard error. The hub must be running with the same
DATA_DIR. You need no password, but must be root or the user who runs the hub.
`,
  async run(given, cli) {
    let problems = 0;
    const run = async () => {
      problems = await list(given, cli);
    };
    const code = await usingHub({ command: 'status', wrong: null, run }, cli);
    return problems > 0 ? EXIT.failed : code;
  },
};

/** @returns how many count @throws Refused */
async function list(given: Given, { env, out, err, paint }: Cli): Promise<number> {
  const { body } = await askLocalHub<Status>(env, { path: '/status' });
  const colours = { bad: paint.red, warn: paint.bold, notice: (word: string) => word };
  const row = ({ level, known, since, vhost, vhosts = vhost ? [vhost] : [], message }: Problem) => {
    const sites = vhosts.map(({ domain }) => visible(domain)).join(', ');
    const word = known ? 'known' : colours[level](visible(level));
    return `${[word, visible(since), sites, visible(message)].join('\t')}\n`;
  };
  err(`${headlineOf(body)}\n`);
  out(given.has('json') ? jsonLine(body) : body.problems.map(row).join(''));
  return countedIn(body.problems).length;
}
