/** `signalbox caddy [use|back]`: the program of Caddy that each agent runs, and its exchange. */

import type { FeatureCommand } from '../../../feature.ts';
import {
  askLocalHub,
  jsonLine,
  Refused,
  readGivenBytes,
  usingHub,
} from '../../../program/cli/api/local-hub.ts';
import type { Cli, Given } from '../../../program/cli/command.ts';
import { visible } from '../../../program/visible.ts';
import { readAtMost } from '../../../shared/bounded.ts';
import type { ProgramsView as Programs } from '../routes.ts';
import { MOST_PROGRAM_BYTES } from '../wire.ts';

export const caddy: FeatureCommand = {
  follows: 'agents',
  name: 'caddy',
  args: [
    { name: 'ACTION', words: ['use', 'back'], optional: true },
    { name: 'FILE|URL', optional: true },
  ],
  options: {
    sha256: { takes: 'SUM', summary: 'use: only if the program has this SHA-256' },
    on: { takes: 'AGENT', summary: 'only of this agent, instead of all, one after another' },
    json: { summary: 'print JSON: the answers of /api/proxy/programs' },
  },
  summary: 'show the program of Caddy and its known holes; exchange it',
  help: `signalbox caddy                            the program that runs, and what is known of it
signalbox caddy use FILE|URL               exchanges it for this one; a URL needs --sha256, unless
                                           you confirm the sum at a terminal
signalbox caddy back                       exchanges it for the one before

The new program starts beside the old one, on the same ports, and is asked: every check, each site
once, a handshake for every name, and the last week's requests. Only then does the old one stop. If
anything is worse, nothing has changed, and you see what, by site. For a minute afterwards, the
previous program runs again if the new one ends. More: docs/caddy-program.md

With several agents, they follow one after another, up to the first that refuses; those before it
keep the new program. The hub must be running with the same DATA_DIR. You need no password, but must
be root or the user who runs the hub.
`,
  run: (given, cli) =>
    usingHub({ command: 'caddy', wrong: whyWrong(given), run: () => carryOut(given, cli) }, cli),
};

/** Null if the words fit together. */
function whyWrong({ args: [action, source], has, value }: Given): string | null {
  if (action === 'use' && source === undefined) return 'use needs a FILE or a URL';
  if (action === 'back' && source !== undefined) return 'back takes no FILE';
  if (has('sha256') && action !== 'use') return '--sha256 is only for use';
  if (/^[0-9a-f]{64}$/i.test(value('sha256') ?? '0'.repeat(64))) return null;
  return '--sha256 takes 64 hexadecimal digits';
}

/** @throws Refused */
async function carryOut(given: Given, cli: Cli): Promise<void> {
  const [action, source = ''] = given.args;
  const only = given.value('on');
  const names =
    only === undefined
      ? (await askLocalHub<{ name: string }[]>(cli.env, { path: '/agents' })).body.map(
          ({ name }) => name,
        )
      : [only];
  if (action === undefined) return show(names, given, cli);
  const wanted = action === 'use' ? await wantedFrom(source, given, cli) : null;
  const done: Programs[] = [];
  try {
    for (const name of names) {
      const answer = await exchange(name, wanted, cli);
      done.push(answer);
      if (!given.has('json')) cli.out(lineOf(answer));
      for (const { domain, reason } of answer.differences ?? []) {
        cli.err(`  ${visible(domain)}: ${visible(reason)}\n`);
      }
      for (const { reason, count } of answer.leftOut ?? []) {
        cli.err(`  not compared: ${visible(reason)}${count > 0 ? ` (${count})` : ''}\n`);
      }
    }
  } catch (error) {
    if (!(error instanceof Refused) || names.length === 1) throw error;
    const rest = names.slice(done.length);
    const [name = '', ...others] = rest;
    const kept =
      done.length > 0 ? ` The new program stays on ${list(done.map((one) => one.agent))}.` : '';
    const unasked = others.length > 0 ? ` Not asked: ${list(others)}.` : '';
    const { message, hint = '' } = error.refusal;
    const more = `${hint}${kept}${unasked}`.trim();
    throw new Refused({
      ...error.refusal,
      message: `${name}: ${message}`,
      ...(more !== '' && { hint: more }),
    });
  } finally {
    if (given.has('json')) cli.out(jsonLine(only === undefined ? done : (done[0] ?? null)));
  }
}

const list = (names: readonly string[]): string => names.map(visible).join(', ');
const pathFor = (route: string, name: string): string =>
  `/proxy/${route}?agent=${encodeURIComponent(name)}`;
const programsOf = async (name: string, { env }: Pick<Cli, 'env'>): Promise<Programs> =>
  (await askLocalHub<Programs>(env, { path: pathFor('programs', name) })).body;

/** What to exchange it for: the body of the request, and its sum if that is known. */
type Wanted = { body: object; sha256: string };

/** @throws Refused */
async function wantedFrom(source: string, given: Given, cli: Cli): Promise<Wanted> {
  const sum = given.value('sha256')?.toLowerCase();
  const isUrl = /^https?:\/\//.test(source);
  if (isUrl && sum !== undefined) return { body: { url: source, sha256: sum }, sha256: sum };
  if (isUrl && !cli.host.hasTerminal) {
    const message = 'a URL needs --sha256, unless you confirm the sum at a terminal';
    throw new Refused({ message });
  }
  const bytes = isUrl
    ? await cli.progress.during('downloading', download(source))
    : await readGivenBytes(source);
  const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
  if (sum !== undefined && sum !== sha256) {
    throw new Refused({ message: `${source} has another SHA-256: ${sha256}` });
  }
  if (isUrl) {
    cli.err(`${Math.ceil(bytes.length / 1e6)} MB with the SHA-256 ${sha256}\n`);
    if (!cli.confirm('Compare it with what the publisher says. Use this program?')) {
      throw new Refused({ message: 'nothing was changed' });
    }
  }
  const form = new FormData();
  form.set('file', new Blob([bytes as Uint8Array<ArrayBuffer>]), 'caddy');
  form.set('sha256', sha256);
  return { body: form, sha256 };
}

/** @throws Refused */
async function download(url: string): Promise<Uint8Array> {
  const failed = (why: string) => new Refused({ message: `${url} cannot be downloaded: ${why}` });
  const response = await fetch(url).catch(() => {
    throw failed('there is no answer');
  });
  if (!response.ok || response.body === null) throw failed(`it answers ${response.status}`);
  const tooLarge = () => failed('it is larger than 200 MiB');
  return readAtMost(response.body.getReader(), MOST_PROGRAM_BYTES, tooLarge).catch((error) => {
    throw error instanceof Refused ? error : failed('the connection ended');
  });
}

/** @param wanted null: the one before @throws Refused */
async function exchange(name: string, wanted: Wanted | null, cli: Cli): Promise<Programs> {
  const known = await programsOf(name, cli);
  const [before] = known.previous;
  if (wanted !== null && known.current?.sha256 === wanted.sha256) return known;
  if (wanted === null && known.managed && !before) {
    throw new Refused({ message: 'no program is kept to go back to' });
  }
  const request = { method: 'POST', path: pathFor('program', name) } as const;
  const body = wanted?.body ?? { use: before?.sha256 ?? '0'.repeat(64) };
  const asked = askLocalHub<Programs>(cli.env, { ...request, body });
  try {
    return (await cli.progress.during(`asking the new program on ${visible(name)}`, asked)).body;
  } catch (error) {
    if (error instanceof Refused) {
      for (const { domain, reason } of error.refusal.differences ?? []) {
        cli.err(`${visible(domain || '-')}\t${visible(reason)}\n`);
      }
    }
    throw error;
  }
}

/** @throws Refused if no agent can say */
async function show(names: readonly string[], given: Given, cli: Cli): Promise<void> {
  const found: Programs[] = [];
  let refused: Refused | undefined;
  for (const name of names) {
    try {
      found.push(await programsOf(name, cli));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refused = error;
      if (names.length > 1) cli.err(`${visible(name)}: ${visible(error.refusal.message)}\n`);
    }
  }
  if (refused && found.length === 0) throw refused;
  if (given.has('json')) cli.out(jsonLine(given.has('on') ? found[0] : found));
  else cli.out(found.map((one) => textOf(one, cli)).join('\n'));
}

const lineOf = ({ agent, current, probation }: Programs): string =>
  `${visible(agent)}\t${versionOf(current)}${probation ? `\ton probation until ${visible(probation.until)}` : ''}\n`;

const versionOf = (program: Programs['current']): string =>
  program === null ? 'unknown' : `Caddy ${visible(program.version ?? 'from source')}`;

const sinceOf = ({ since }: { since: string | null }): string =>
  since === null ? '' : `, since ${visible(since)}`;

/** All that is known, for a person. */
function textOf(found: Programs, { paint }: Pick<Cli, 'paint'>): string {
  const { agent, current, previous, probation, managed, command, advisories, uses, safe } = found;
  const lines = [`${visible(agent)}: ${versionOf(current)}${current ? sinceOf(current) : ''}`];
  if (current) lines.push(`  SHA-256 ${visible(current.sha256)}`);
  if (probation) lines.push(`  On probation until ${visible(probation.until)}`);
  for (const { id, summary, fixedIn } of advisories ?? []) {
    lines.push(`  ${paint.red(visible(id))} (fixed in ${visible(fixedIn)}): ${visible(summary)}`);
  }
  if (advisories === null) lines.push('  Which known holes its version has is unknown');
  if (advisories?.length) {
    const cure = command ?? `signalbox caddy use FILE --on ${visible(agent)}`;
    lines.push(`  Caddy ${visible(safe)} or newer has none of them: ${visible(cure)}`);
  } else if (!managed && command !== null) {
    lines.push(`  Another program runs it, and upgrades it: ${visible(command)}`);
  }
  for (const module of current?.plugins ?? []) {
    const use = uses?.find((one) => one.module === module);
    const users = [...(use?.sites ?? []), ...(use?.elsewhere ? ['the preamble'] : [])];
    const by =
      uses === null ? 'use unknown' : users.length > 0 ? `used by ${list(users)}` : 'not used';
    lines.push(`  Plugin ${visible(module)}: ${by}`);
  }
  for (const one of previous)
    lines.push(`  Kept: ${versionOf(one)}, SHA-256 ${visible(one.sha256)}`);
  return `${lines.join('\n')}\n`;
}
