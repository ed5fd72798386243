/** `signalbox certificate list|put|renew|rm`: the certificates that the hub on this machine keeps. */
import type { Static } from 'elysia';
import type { FeatureCommand } from '../../../feature.ts';
import {
  askLocalHub,
  jsonLine,
  type LocalRequest,
  Refused,
  readGiven,
  usingHub,
  type Warned,
  warnOf,
} from '../../../program/cli/api/local-hub.ts';
import { listSites } from '../../../program/cli/api/sites.ts';
import type { Cli, Given } from '../../../program/cli/command.ts';
import { visible } from '../../../program/visible.ts';
import { nearest } from '../../../shared/nearest.ts';
import type { KeptCertificateView } from '../view.ts';

type Kept = Static<typeof KeptCertificateView>;

/** The domains of the sites that are served with it are added to what the hub says. */
type Shown = Kept & { domains: string[] };

const ACTIONS = ['list', 'put', 'renew', 'rm'];

export const certificate: FeatureCommand = {
  name: 'certificate',
  follows: 'site',
  args: [
    { name: 'ACTION', words: ACTIONS },
    { name: 'NAME', optional: true },
  ],
  options: {
    chain: { summary: 'put: the certificate, then what signed it, as PEM', takes: 'FILE' },
    key: { summary: 'put: its private key, as PEM without a passphrase', takes: 'FILE' },
    force: { summary: 'rm: also if sites are served with it' },
    json: { summary: 'print JSON' },
  },
  summary: 'list, upload, renew and remove the certificates that the hub keeps',
  help: `signalbox certificate list
signalbox certificate put NAME --chain FILE --key FILE
                                       uploads it, or replaces it on all proxies at once; one FILE
                                       may be - for standard input
signalbox certificate renew NAME       orders it again, if the hub obtained it by DNS
signalbox certificate rm NAME          only if no site is served with it, or with --force

The same pair again changes nothing, so put works as the deploy hook of certbot and acme.sh. A pair
that you put in the place of a certificate by DNS is yours to renew.

Prints the certificate, or all of them: name, the host names in it, the day on which it ends, upload
or dns with the provider, the domains of its sites, and why it was not renewed, separated by tabs.
Keys are never printed. The hub must be running with the same DATA_DIR. You need no password, but
must be root or the user who runs the hub.
`,
  run: (given, cli) =>
    usingHub(
      { command: 'certificate', wrong: whyWrong(given), run: () => carryOut(given, cli) },
      cli,
    ),
};

/** Null if the words fit together. */
function whyWrong({ args: [action = '', name], has, value }: Given): string | null {
  if (action === 'list' && name !== undefined) return 'list takes no NAME';
  if (action !== 'list' && name === undefined) return `${action} needs a NAME`;
  const isPut = action === 'put';
  const stray = ['chain', 'key'].find((option) => has(option) !== isPut);
  if (stray !== undefined)
    return isPut ? `put needs --${stray} FILE` : `--${stray} is only for put`;
  if (has('force') && action !== 'rm') return '--force is only for rm';
  if (value('chain') === '-' && value('key') === '-') {
    return 'only one of --chain and --key can be standard input';
  }
  return null;
}

/** @throws Refused */
async function carryOut(given: Given, cli: Cli): Promise<void> {
  const {
    args: [action, name = ''],
    value,
    has,
  } = given;
  const files = action === 'put' ? [value('chain') ?? '', value('key') ?? ''] : [];
  const [chain = '', key = ''] = await Promise.all(files.map(readGiven));
  const { body: all } = await askLocalHub<Kept[]>(cli.env, { path: '/certificates/kept' });
  let answer: Kept | Kept[];
  if (action === 'list') answer = all;
  else if (action === 'put') answer = await put(name, { chain, key }, all, cli);
  else {
    const known = certificateNamed(name, all);
    answer =
      action === 'renew'
        ? await send('renewing', { method: 'POST', path: `${pathOf(known)}/renew` }, cli)
        : await remove(known, has('force'), cli);
  }
  const domains = new Map((await listSites(cli)).map(({ id, domain }) => [id, domain]));
  const shown = (one: Kept): Shown => ({
    ...one,
    domains: one.sites.flatMap((id) => domains.get(id) ?? []),
  });
  const printed = Array.isArray(answer) ? answer.map(shown) : shown(answer);
  cli.out(given.has('json') ? jsonLine(printed) : [printed].flat().map(row).join(''));
  if (action === 'rm') return;
  for (const { name: of, warning } of [answer].flat()) {
    if (warning !== undefined) cli.err(`${of}: ${visible(warning)}\n`);
  }
}

const pathOf = ({ id }: Kept): string => `/certificates/kept/${id}`;

/** @throws Refused, naming the certificate that was probably meant */
function certificateNamed(name: string, all: readonly Kept[]): Kept {
  const found = all.find((one) => one.name === name);
  if (found) return found;
  const near = nearest(
    name,
    all.map((one) => one.name),
  );
  throw new Refused({
    code: 'NOT_FOUND',
    message: `The hub keeps no certificate ${name}.`,
    ...(near !== undefined && { hint: `Did you mean ${near}?` }),
  });
}

type Hub = Pick<Cli, 'env' | 'err' | 'progress'>;

/** @throws Refused */
async function send(label: string, request: LocalRequest, cli: Hub): Promise<Kept> {
  const sent = askLocalHub<Warned & Kept>(cli.env, request);
  const { behind, warnings, ...kept } = (await cli.progress.during(label, sent)).body;
  warnOf({ ...(behind && { behind }), ...(warnings && { warnings }) }, cli);
  return kept;
}

/** Replaces a certificate, or keeps a new one. @throws Refused */
async function put(
  name: string,
  pair: { chain: string; key: string },
  all: readonly Kept[],
  cli: Hub,
): Promise<Kept> {
  const known = all.find((one) => one.name === name);
  const request: LocalRequest = known
    ? { method: 'PUT', path: pathOf(known), body: pair }
    : { method: 'POST', path: '/certificates/kept', body: { name, ...pair } };
  const kept = await send('publishing', request, cli);
  if (known?.source === 'dns') cli.err(`${name}: the hub no longer renews it.\n`);
  return kept;
}

/** @throws Refused */
async function remove(known: Kept, force: boolean, { env, err, progress }: Hub): Promise<Kept> {
  const path = `${pathOf(known)}${force ? '?force=true' : ''}`;
  const sent = askLocalHub<Warned>(env, { method: 'DELETE', path });
  const { body } = await progress.during('publishing', sent).catch((error) => {
    throw error instanceof Refused ? withOption(error) : error;
  });
  warnOf(body, { err });
  return known;
}

/** With the option of the command instead of the API's parameter. */
function withOption({ refusal: { hint, ...refusal } }: Refused): Refused {
  return new Refused({ ...refusal, ...(hint && { hint: hint.replace('force=true', '--force') }) });
}

const row = (one: Shown): string => {
  const { name, names, notAfter, source, provider = '', domains, lastError = '' } = one;
  const [ends = ''] = notAfter.split('T');
  const from = `${source} ${provider}`.trim();
  return `${[name, names.join(','), ends, from, domains.join(','), lastError].map(visible).join('\t')}\n`;
};
