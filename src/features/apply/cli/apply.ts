/** `signalbox apply -f FILE`: brings sites and policies into the state that a file describes. */

import { basename } from 'node:path';
import type { FeatureCommand } from '../../../feature.ts';
import {
  type AskHub,
  answerOf,
  failRefused,
  type LocalRequest,
  Refused,
  readGivenBytes,
  type Warned,
  warnOf,
} from '../../../program/cli/api/local-hub.ts';
import {
  askedOf,
  type Begun,
  optionsOf,
  type PlanQuestion,
} from '../../../program/cli/api/plan-question.ts';
import { chosenHub, HUB_OPTION } from '../../../program/cli/api/remote-hub.ts';
import { type Cli, EXIT, type Given } from '../../../program/cli/command.ts';
import { clip } from '../../../shared/one-line.ts';
import { visible, visibleLines } from '../../../shared/visible.ts';
import type { ApplyFile, Mistakes } from './apply-file.ts';

/** Those of the contract: 2 is not wrong usage here. */
const EXITS = { done: EXIT.done, refused: EXIT.failed, changes: 2 } as const;

type Answer = Warned &
  Begun & {
    changes: { op: string; kind: string; name: string; fields: string[] }[];
    diff: string;
    digest: string;
    published: boolean;
    /** In the changelog. */
    group?: number;
  };

/** What it uses of the answer to an import of a Caddyfile. */
type Converted = {
  vhosts: { domain: string; config: string; upstream: string }[];
  skipped: { line: number; reason: string }[];
  merge: { preamble: { name: string; state: string }[] };
};

/** @param questions that the plan can be asked */
export const applyCommand = (questions: readonly PlanQuestion[]): FeatureCommand => ({
  follows: 'agents',
  name: 'apply',
  args: [],
  options: {
    file: {
      short: 'f',
      takes: 'FILE',
      needed: true,
      summary: 'YAML, JSON or a Caddyfile; - for standard input',
    },
    plan: { summary: 'show what would change, and change nothing' },
    ...optionsOf(questions, 'plan'),
    expects: { takes: 'DIGEST', summary: 'apply only if this is still the plan' },
    prune: { summary: 'delete what this source applied and the file no longer names' },
    adopt: { summary: 'take over sites and policies that others keep' },
    source: { takes: 'NAME', summary: 'who keeps them; by default the name of the file' },
    'require-all': { summary: 'refuse it unless all proxies accept it now' },
    hub: HUB_OPTION,
  },
  summary: 'bring sites and policies into the state that a file describes',
  help: `One publish, all or nothing; applying the same file again changes nothing. --plan prints each
change, the difference in Caddy's configuration, and a digest for --expects. What the file does not
name stays as it is, unless --prune is given. More about the file: docs/as-code.md

${questions.map(helpOf).join('')}Without --hub, the hub must be running with the same DATA_DIR. You need no password, but must be
root or the user who runs the hub. With --hub, SIGNALBOX_TOKEN (or a file, SIGNALBOX_TOKEN_FILE)
has an API token of an editor.
`,
  exits: {
    misused: EXITS.refused,
    help: 'Exit codes: 0 done, or nothing to do; 1 refused, or wrong usage; 2 --plan found changes.\n',
  },
  async run(given, cli) {
    const name = given.value('file') ?? '';
    const files = await import('./apply-file.ts');
    try {
      return await applyFile(name, files, { given, questions }, cli);
    } catch (error) {
      if (error instanceof files.Mistakes) return failMistaken(shownName(name), error, cli);
      if (!(error instanceof Refused)) throw error;
      return failRefused('apply', error.refusal, cli);
    }
  },
});

const helpOf = ({ name, prints }: PlanQuestion): string =>
  `With --${name}, --plan then prints ${prints}; the exit code is still the plan's.\n\n`;

const shownName = (name: string): string => (name === '-' ? 'stdin' : name);

/** Its name without folder and ending. */
const sourceOf = (name: string): string => basename(shownName(name)).replace(/(?<=.)\.[^.]*$/, '');

/** @throws Refused, or Mistakes of the file */
async function applyFile(
  name: string,
  { isCaddyfile, readApplyFile, textOf }: typeof import('./apply-file.ts'),
  { given, questions }: { given: Given; questions: readonly PlanQuestion[] },
  cli: Cli,
): Promise<number> {
  const { out, progress } = cli;
  const isPlan = given.has('plan');
  const question = askedOf(questions, given);
  if (question && !isPlan) throw new Refused({ message: `--${question.name} needs --plan` });
  const hub = await chosenHub(given, cli);
  const bytes = await readGivenBytes(name);
  const file = isCaddyfile(name, textOf(bytes))
    ? await readCaddyfile(name, textOf(bytes), hub, cli)
    : readApplyFile(bytes, (await import('../schemas.ts')).applySchema());
  const expects = given.value('expects');
  const body = {
    source: given.value('source') ?? sourceOf(name),
    sites: file.sites,
    policies: file.policies,
    prune: given.has('prune'),
    adopt: given.has('adopt'),
    ...(isPlan && { dryRun: true }),
    ...(expects !== undefined && { expects }),
  };
  const asking = question?.begin(hub, cli);
  const query = new URLSearchParams({
    ...(given.has('require-all') && { require: 'all' }),
    ...(question && { [question.name]: 'true' }),
  });
  const path = `/apply${query.size === 0 ? '' : `?${query}`}`;
  const headers = { 'Idempotency-Key': crypto.randomUUID() };
  const asked = askTwice(asking?.ask ?? hub, { method: 'POST', path, body, headers });
  const sent = asking?.started(asked) ?? asked;
  const answer = await progress
    .during(isPlan ? 'planning' : 'publishing', sent)
    .catch((error) => Promise.reject(located(error, file, shownName(name))));
  const { changes, diff, digest } = answer;
  out(changes.length === 0 ? 'nothing to do\n' : changes.map(lineOf).join(''));
  if (isPlan) out(`${diff === '' ? '' : `\n${visibleLines(diff)}\n`}digest ${visible(digest)}\n`);
  warnOf(answer, cli);
  if (changes.length > 0) await asking?.print('apply', answer, (text) => out(`\n${text}`), cli);
  if (!isPlan && changes.length > 0) cli.err(summaryOf(answer, given));
  return isPlan && changes.length > 0 ? EXITS.changes : EXITS.done;
}

const lineOf = ({ op, kind, name, fields }: Answer['changes'][number]): string => {
  const which = fields.length === 0 ? '' : `: ${fields.join(', ')}`;
  return `${visible(`${op} ${kind} ${name}${which}`)}\n`;
};

/** How many changes, whether Caddy got them, and the way back. */
function summaryOf({ changes, published, group }: Answer, given: Given): string {
  const count = changes.length === 1 ? '1 change' : `${changes.length} changes`;
  const at = given.has('hub') ? ' on the machine of the hub' : '';
  const back = group === undefined ? '' : `; to undo${at}: signalbox undo ${group}`;
  return `${count}, ${published ? 'published' : 'with nothing to publish'}${back}\n`;
}

/** Once more if the connection ended: by its key, the hub knows that it is the same request. @throws Refused */
async function askTwice(ask: AskHub, request: LocalRequest): Promise<Answer> {
  const once = async () => answerOf<Answer>(await ask(request));
  return once().catch((error) => {
    if (error instanceof Refused && !error.refusal.isLost) throw error;
    return once();
  });
}

/** The sites of a Caddyfile; its options and snippets must be in the preamble already. @throws Refused */
async function readCaddyfile(
  name: string,
  proxyfile: string,
  ask: AskHub,
  { err }: Cli,
): Promise<ApplyFile> {
  const body = { proxyfile, dryRun: true, taken: 'skip', preamble: 'keep' };
  const answer = await ask({ method: 'POST', path: '/import', body }).catch((error) =>
    Promise.reject(inCaddyfile(error, name)),
  );
  const { vhosts, skipped, merge } = await answerOf<Converted>(answer);
  const foreign = merge.preamble.filter(({ state }) => state === 'new' || state === 'differs');
  if (foreign.length > 0) {
    throw new Refused({
      message: `${shownName(name)}: the hub’s preamble lacks options or snippets of this Caddyfile, or has other ones`,
      detail: foreign.map((part) => `${part.name} (${part.state})`).join(', '),
      hint: `Put them into the preamble first, or import the file: signalbox import ${name}`,
    });
  }
  const at = visible(shownName(name));
  for (const { line, reason } of skipped) err(`${at}:${line}: skipped: ${visible(reason)}\n`);
  const sites = vhosts.map(({ domain, config, upstream }) => [domain, { config, upstream }]);
  return { sites: Object.fromEntries(sites), policies: {}, placeOf: () => null };
}

/** Names the Caddyfile if the fault is in it. */
function inCaddyfile(error: unknown, name: string): unknown {
  if (!(error instanceof Refused) || error.refusal.code !== 'PROXY_REJECTED') return error;
  const { line, message } = error.refusal;
  const at = line === undefined ? '' : `:${line}`;
  return new Refused({ ...error.refusal, message: `${shownName(name)}${at}: ${message}` });
}

/** Says where in the file the fault is. */
function located(error: unknown, file: ApplyFile, name: string): unknown {
  if (!(error instanceof Refused)) return error;
  const { refusal } = error;
  const place = file.placeOf(refusal);
  if (!place) return error;
  const message = `${name}:${place.line}: ${place.path.join('.')}: ${refusal.message}`;
  return new Refused({ ...refusal, message });
}

/** Enough to correct a file; one of a few hundred kilobytes can have mistakes of gigabytes. */
const MOST_SHOWN = 100;

function failMistaken(name: string, { mistakes, all }: Mistakes, { err, fail }: Cli): number {
  for (const { line, path, words } of mistakes.slice(0, MOST_SHOWN)) {
    const where = path.length === 0 ? '' : `${clip(path.join('.'))}: `;
    err(`${visible(`${name}:${line}: ${where}${clip(words)}`)}\n`);
  }
  const more = mistakes.length - MOST_SHOWN;
  const least = all ? '' : 'at least ';
  if (more > 0) err(`… and ${least}${more} more\n`);
  const count = mistakes.length === 1 ? '1 mistake' : `${least}${mistakes.length} mistakes`;
  fail(`signalbox apply: ${count} in ${visible(name)}; nothing was changed`);
  return EXITS.refused;
}
