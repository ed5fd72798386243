/** `signalbox import npm FOLDER`: imports the sites of Nginx Proxy Manager into the hub running on this machine. */

import { MOVE, type Serving } from '../../../hub/publish/serving.ts';
import { askLocalHub } from '../../../program/cli/api/local-hub.ts';
import type { PlanQuestion } from '../../../program/cli/api/plan-question.ts';
import type { Cli, Given } from '../../../program/cli/command.ts';
import type { Importer } from '../../../program/cli/importer.ts';
import { listed } from '../../../shared/one-line.ts';
import { visible } from '../../../shared/visible.ts';
import { STANDARD_PORTS } from '../../../shared/wire/proxy.ts';
import { CHOOSE_SITES, choicesOf, type ImportKind, runImport } from '../../import/cli/importing.ts';
import type { Imported } from '../../import/importer.ts';
import type { Note } from '../npm/notes.ts';
import { findNpm, readNpmDatabase } from './database.ts';

type ImportedNpm = Imported & { notes: Note[] };

/** @param questions that a dry run can be asked */
export const npm = (questions: readonly PlanQuestion[]): Importer => ({
  word: 'npm',
  program: 'Nginx Proxy Manager',
  options: {
    'with-certificates': { summary: 'npm: also take uploaded certificates, with their keys' },
  },
  usage: `signalbox import npm FOLDER            Nginx Proxy Manager: its data folder, the folder above it,
                                       or its database.sqlite
`,
  help: `Of Nginx Proxy Manager, which may be running, nothing is changed: its database is copied. The copy,
with the keys and passwords in it, goes to the hub on this machine and nowhere else, and no key is
stored without --with-certificates. What behaves differently, and which sites are off until you
decide, is printed on standard error. For a Caddyfile that is called npm, write ./npm.
`,
  run: (given, cli) => importNpm(given, cli, questions),
});

async function importNpm(
  given: Given,
  cli: Cli,
  questions: readonly PlanQuestion[],
): Promise<void> {
  const { file, custom } = findNpm(given.args[1] ?? '');
  const database = new Blob([await readNpmDatabase(file)]);
  const kind: ImportKind<ImportedNpm> = {
    request: ({ dryRun, taken, replace }, more) => {
      const query = new URLSearchParams({
        dryRun: String(dryRun),
        certificates: String(given.has('with-certificates')),
        ...(taken !== undefined && { taken }),
        ...more,
      });
      const body = new FormData();
      body.append('file', database, 'database.sqlite');
      if (replace) body.append('replace', replace.join(' '));
      return { method: 'POST', path: `/import/npm?${query}`, body };
    },
    chosen: choicesOf(given),
    hint: `${CHOOSE_SITES}.`,
    notesOf: ({ notes }) => inGroups([...notes, ...notesOf(custom)]),
    moreOf: offOf,
  };
  await runImport(kind, { given, questions }, cli);
  if (!given.has('dry-run')) cli.err(nextStep(await servingNow(cli)));
}

/** Of what NPM reads besides its database. */
const notesOf = (custom: readonly string[]): Note[] =>
  custom.length === 0
    ? []
    : [
        {
          domain: null,
          level: 'warning',
          text: `NPM also reads nginx/custom/${inShort(custom)}. The import does not: add what your sites need of it.`,
        },
      ];

/** How many sites are off until somebody decides. */
function offOf({ vhosts, notes }: ImportedNpm): string {
  const undecided = new Set(notes.map(({ domain, level }) => level === 'error' && domain));
  const off = vhosts.filter(({ domain }) => undecided.has(domain)).length;
  return off === 0 ? '' : `, ${off} off until you decide`;
}

const HEADINGS = [
  ['error', 'Off until you decide'],
  ['warning', 'Different from before'],
  ['info', 'Good to know'],
] as const;

/** The same text once, with the domains that it is about. */
function inGroups(notes: readonly Note[]): string {
  const groups = HEADINGS.map(([level, heading]) => {
    const about = Map.groupBy(
      notes.filter((note) => note.level === level),
      ({ text }) => text,
    );
    const lines = [...about].map(([text, same]) => {
      const domains = new Set(same.flatMap(({ domain }) => domain ?? []));
      return `- ${visible(text)}\n${domains.size === 0 ? '' : `  ${inShort([...domains])}\n`}`;
    });
    return lines.length === 0 ? '' : `${heading}:\n${lines.join('')}\n`;
  });
  return groups.join('');
}

/** How many names a line has at most. */
const SOME = 5;

const inShort = (names: readonly string[]): string => listed(names.map(visible), SOME);

/** Null if it cannot be known. */
const servingNow = ({ env }: Cli): Promise<Serving | null> =>
  askLocalHub<{ serving: Serving | null }>(env, { path: '/status' })
    .then(({ body }) => body.serving)
    .catch(() => null);

function nextStep(serving: Serving | null): string {
  const where = serving
    ? `, ${serving.http.port} for HTTP and ${serving.https.port} for HTTPS`
    : '';
  const isStandard =
    serving?.http.port === STANDARD_PORTS.http && serving.https.port === STANDARD_PORTS.https;
  return isStandard
    ? `Next: try each site on Caddy's ports${where}. Then have your router or DNS lead here, and stop NPM.\n`
    : `Next: try each site on Caddy's ports${where}. Then stop NPM, and run: ${MOVE}\n`;
}
