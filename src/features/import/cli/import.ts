/** `signalbox import FILE`: imports a Caddyfile, or the sites of another program, into the hub on this machine. */
import { dirname, resolve } from 'node:path';
import type { FeatureCommand } from '../../../feature.ts';
import { Refused, readGiven, usingHub } from '../../../program/cli/api/local-hub.ts';
import { askedOf, optionsOf, type PlanQuestion } from '../../../program/cli/api/plan-question.ts';
import type { Cli, Command, Given } from '../../../program/cli/command.ts';
import type { Importer } from '../../../program/cli/importer.ts';
import { SQLITE_MAGIC } from '../../../shared/sqlite.ts';
import { visible } from '../../../shared/visible.ts';
import { filesAt } from '../caddyfile/imported-files.ts';
import { inlineImports } from '../caddyfile/inline.ts';
import type { Imported } from '../importer.ts';
import { CHOOSE_SITES, choicesOf, type ImportKind, runImport } from './importing.ts';

const SIDES = ['keep', 'file'];

const CHOOSE = `${CHOOSE_SITES}, and --preamble to decide about options and snippets.`;

const DRY_RUN: Command['options'] = {
  'dry-run': { summary: 'print the resulting Caddyfile, and change nothing' },
};
const OPTIONS: Command['options'] = {
  replace: { summary: 'replace these sites if they already exist', takes: 'DOMAIN,…' },
  'replace-all': { summary: 'replace all sites that already exist' },
  'skip-taken': { summary: 'keep sites that already exist' },
  on: {
    summary: 'FILE: import the sites of this agent’s Caddy, for that agent only',
    takes: 'NAME',
  },
  preamble: {
    summary: 'FILE: which side wins where options or snippets differ',
    takes: SIDES.join('|'),
  },
};

/**
 * The command, with what it takes besides a Caddyfile.
 * @param questions that a dry run can be asked
 */
export function importCommand(
  importers: readonly Importer[],
  questions: readonly PlanQuestion[],
): FeatureCommand {
  const words = importers.map(({ word }) => word);
  return {
    follows: 'agents',
    name: 'import',
    args: [{ name: 'FILE' }, ...(words.length === 0 ? [] : [{ name: 'FOLDER', after: words }])],
    options: Object.fromEntries(
      [
        DRY_RUN,
        optionsOf(questions, 'dry-run'),
        OPTIONS,
        ...importers.map(({ options }) => options),
      ].flatMap(Object.entries),
    ),
    summary: [
      'import a Caddyfile',
      ...importers.map(({ program }) => `the sites of ${program}`),
    ].join(', or '),
    help: `signalbox import FILE                  a Caddyfile; - is standard input
${importers.map(({ usage }) => usage).join('')}
Publishes all sites in one step, all or nothing. Identical sites stay as they are. If a site, an
option or a snippet differs from the hub's, the command prints the differences and imports nothing,
unless you decide with the options below. The hub must be running with the same DATA_DIR. You need
no password, but must be root or the user who runs the hub.

A Caddyfile is sent with the files that it imports, relative to it. Its global options and snippets
are added to those of the hub (the preamble). With --on, that agent gets them as a separate
preamble, and only its Caddy serves the sites.
${importers.map(({ help }) => `\n${help}`).join('')}`,
    run: (given, cli) => {
      const importer = importers.find(({ word }) => word === given.args[0]);
      const run = () =>
        importer?.run(given, cli) ?? importGiven(given, cli, { importers, questions });
      const wrong = whyWrong(given, importer, { importers, questions });
      return usingHub({ command: 'import', wrong, run }, cli);
    },
  };
}

type Kinds = { importers: readonly Importer[]; questions: readonly PlanQuestion[] };

/** Null if the words fit together. @param importer the one of the given word */
function whyWrong(
  given: Given,
  importer: Importer | undefined,
  { importers, questions }: Kinds,
): string | null {
  const { has, value } = given;
  const question = askedOf(questions, given);
  const stray = ['on', 'preamble'].find(has);
  if (question && !has('dry-run')) return `--${question.name} needs --dry-run`;
  if (importer && stray !== undefined) return `--${stray} is only for a Caddyfile`;
  for (const { word, options } of importers.filter((other) => other !== importer)) {
    const foreign = Object.keys(options).find(has);
    if (foreign !== undefined) return `--${foreign} is only for ${word}`;
  }
  const side = value('preamble');
  const isTwice = has('replace-all') && has('skip-taken');
  if (!isTwice && (side === undefined || SIDES.includes(side))) return null;
  return '--preamble is keep or file, and --replace-all excludes --skip-taken';
}

/** @throws Refused if it was not imported or, on a dry run, could not be */
async function importGiven(given: Given, cli: Cli, { importers, questions }: Kinds): Promise<void> {
  const [file = ''] = given.args;
  const text = await readGiven(file);
  if (text.startsWith(SQLITE_MAGIC)) {
    const message = `${file} is an SQLite database, not a Caddyfile`;
    const hint = importers
      .map(({ program, word }) => `For ${program}, run: signalbox import ${word} ${file}`)
      .join(' ');
    throw new Refused(hint === '' ? { message } : { message, hint });
  }
  // One text: the hub may be another user's, and reads no files but those of IMPORT_DIRS.
  const folder = file === '-' ? null : dirname(resolve(file));
  const proxyfile = folder === null ? text : await inlineImports(text, filesAt, {}, { folder });
  const kind: ImportKind<Imported> = {
    request: (how, query) => {
      const search = new URLSearchParams(query);
      const path = search.size === 0 ? '/import' : `/import?${search}`;
      return { method: 'POST', path, body: { proxyfile, ...how } };
    },
    chosen: choicesOf(given),
    hint: CHOOSE,
    notesOf: ({ skipped }) =>
      skipped.map(({ line, reason }) => `line ${line} skipped: ${visible(reason)}\n`).join(''),
  };
  await runImport(kind, { given, questions }, cli);
}
