/** `signalbox certificate put`: uploads a certificate to the hub on this machine, also as a deploy hook. */
import type { Static } from 'elysia';
import type { FeatureCommand } from '../../../feature.ts';
import {
  askLocalHub,
  jsonLine,
  type LocalRequest,
  readGiven,
  usingHub,
  type Warned,
  warnOf,
} from '../../../program/cli/api/local-hub.ts';
import { listSites } from '../../../program/cli/api/sites.ts';
import type { Cli, Given } from '../../../program/cli/command.ts';
import { visible } from '../../../shared/visible.ts';
import type { KeptCertificateView } from '../view.ts';

type Kept = Static<typeof KeptCertificateView>;

export const certificate: FeatureCommand = {
  name: 'certificate',
  isSeldom: true,
  follows: 'site',
  args: [{ name: 'ACTION', words: ['put'] }, { name: 'NAME' }],
  options: {
    chain: { summary: 'the certificate, then what signed it, as PEM', takes: 'FILE', needed: true },
    key: { summary: 'its private key, as PEM without a passphrase', takes: 'FILE', needed: true },
    json: { summary: 'print JSON' },
  },
  summary: 'upload a certificate that the hub keeps',
  help: `Replaces the one of that NAME on all proxies at once, if there is one. One FILE may be - for
standard input. The same pair again changes nothing, so it works as the deploy hook of certbot and
acme.sh. A pair that you put in the place of a certificate by DNS is yours to renew. To list those
that there are: signalbox api GET /certificates/kept

Prints the certificate: name, the host names in it, the day on which it ends, upload, and the
domains of its sites, separated by tabs. Keys are never printed. The hub must be running with the
same DATA_DIR. You need no password, but must be root or the user who runs the hub.
`,
  run: (given, cli) =>
    usingHub({ command: 'certificate', wrong: whyWrong(given), run: () => put(given, cli) }, cli),
};

/** Null if the words fit together. */
const whyWrong = ({ value }: Given): string | null =>
  value('chain') === '-' && value('key') === '-'
    ? 'only one of --chain and --key can be standard input'
    : null;

/** Replaces a certificate, or keeps a new one. @throws Refused */
async function put({ args: [, name = ''], value, has }: Given, cli: Cli): Promise<void> {
  const { env, out, err, progress } = cli;
  const [chain = '', key = ''] = await Promise.all(
    [value('chain') ?? '', value('key') ?? ''].map(readGiven),
  );
  const path = '/certificates/kept';
  const { body: all } = await askLocalHub<Kept[]>(env, { path });
  const known = all.find((one) => one.name === name);
  const request: LocalRequest = known
    ? { method: 'PUT', path: `${path}/${known.id}`, body: { chain, key } }
    : { method: 'POST', path, body: { name, chain, key } };
  const sent = askLocalHub<Warned & Kept>(env, request);
  const { behind, warnings, ...kept } = (await progress.during('publishing', sent)).body;
  warnOf({ ...(behind && { behind }), ...(warnings && { warnings }) }, cli);
  if (known?.source === 'dns') err(`${name}: the hub no longer renews it.\n`);
  const sites = await listSites(cli);
  const domains = sites.filter(({ id }) => kept.sites.includes(id)).map(({ domain }) => domain);
  out(has('json') ? jsonLine({ ...kept, domains }) : row(kept, domains));
  if (kept.warning !== undefined) err(`${name}: ${visible(kept.warning)}\n`);
}

function row({ name, names, notAfter, source }: Kept, domains: readonly string[]): string {
  const [ends = ''] = notAfter.split('T');
  return `${[name, names.join(','), ends, source, domains.join(',')].map(visible).join('\t')}\n`;
}
