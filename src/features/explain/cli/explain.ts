/** `signalbox explain DOMAIN [PATH]`: which step of a request to a site fails, why, and what to do. */
import type { FeatureCommand } from '../../../feature.ts';
import {
  type AskHub,
  answerOf,
  failRefused,
  jsonLine,
  Refused,
} from '../../../program/cli/api/local-hub.ts';
import { chosenHub, HUB_OPTION } from '../../../program/cli/api/remote-hub.ts';
import { type Site, siteWith } from '../../../program/cli/api/sites.ts';
import { type Cli, EXIT, type Given } from '../../../program/cli/command.ts';
import type { Paint } from '../../../program/paint.ts';
import { visible } from '../../../shared/visible.ts';
import type { Explanation } from '../schemas.ts';

/** 2 is not wrong usage here. */
const EXITS = { works: EXIT.done, failed: EXIT.failed, fails: 2 } as const;

export const explain: FeatureCommand = {
  follows: 'logs',
  name: 'explain',
  isSeldom: true,
  args: [{ name: 'DOMAIN' }, { name: 'PATH', optional: true }],
  options: {
    json: { summary: 'print JSON: the answer of POST /api/explanations' },
    hub: HUB_OPTION,
  },
  summary: 'explain why a site does not work',
  help: `signalbox explain app.example            asks for /
signalbox explain app.example /login     asks for this path

Walks the way of a visitor’s request: name, port, certificate, policies, connection to the upstream,
what that speaks, and its answer. Prints the steps, the first that fails, why, and what to do. A
site that is off is explained as if it were on. Changes nothing, and leaves no line in the access
log.

Without --hub, the hub must be running with the same DATA_DIR. You need no password, but must be
root or the user who runs the hub. With --hub, SIGNALBOX_TOKEN (or a file, SIGNALBOX_TOKEN_FILE)
has an API token with the scope "read and write".
`,
  exits: {
    misused: EXITS.failed,
    help: 'Exit codes: 0 it works; 1 refused or failed, or wrong usage; 2 it does not, or that is not sure.\n',
  },
  async run(given, cli) {
    try {
      return await explainGiven(given, cli);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return failRefused('explain', error.refusal, cli);
    }
  },
};

/** @throws Refused */
async function explainGiven(given: Given, cli: Cli): Promise<number> {
  const [domain = '', path = '/'] = given.args;
  const hub = await chosenHub(given, cli);
  const { id } = siteWith(domain, await answerOf<Site[]>(await hub({ path: '/vhosts' })));
  const answer = ask(hub, id, path);
  const explanation = await cli.progress.during('looking', answer);
  cli.out(given.has('json') ? jsonLine(explanation) : textOf(explanation, cli.paint));
  return explanation.verdict === 'works' ? EXITS.works : EXITS.fails;
}

/** @throws Refused */
const ask = async (hub: AskHub, vhost: number, path: string): Promise<Explanation> =>
  answerOf<Explanation>(
    await hub({ method: 'POST', path: '/explanations', body: { vhost, path } }),
  );

/** The steps, one a line, then the conclusion. */
function textOf({ steps, verdict, cause, words, cure }: Explanation, paint: Paint): string {
  const lines = steps.map(({ step, ok, words }) => {
    const mark = markOf(ok, paint);
    return `${mark} ${step.padEnd('certificate'.length)}  ${visible(words)}\n`;
  });
  const code = cause === null ? '' : ` (${cause})`;
  const colour = verdict === 'works' ? paint.green : paint.red;
  const conclusion = `\n${colour(visible(words))}${code}\n`;
  return [...lines, conclusion, cure === null ? '' : `${visible(cure.words)}\n`].join('');
}

function markOf(ok: boolean | null, paint: Paint): string {
  if (ok === null) return '?';
  return ok ? paint.green('✓') : paint.red('✗');
}
