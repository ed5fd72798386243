/** What lego printed, as a failure in the words of the authority or the provider. */
import { Failure } from '../../../shared/failure.ts';
import { TRIED } from './try-authority.ts';

const LONGEST = 500;
const DATED = /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d (?:\[(INFO|WARN)\] )?/;
/** What lego says without a level though nothing is wrong. */
const NOTE = /^(?:No key found for account|Saved key to|The flag )/;
/** Colours of a terminal, and what cannot be seen; lines stay lines. */
const UNSEEN = /(?![\n\t])\p{Cc}\[[0-9;?]*[A-Za-z]|(?!\n)[\p{Cc}\p{Cf}]/gu;

/** Of lego's error, from the most telling to the least: what it means, and what helps. */
const MEANINGS: readonly (readonly [RegExp, string, string?])[] = [
  [/Could not create client|get directory at/, 'The certificate authority cannot be reached.'],
  [
    /acme:error:rateLimited|error: 429/,
    'The certificate authority refuses: there were too many orders.',
  ],
  [
    /time limit exceeded/,
    'The zone’s nameservers did not show the record in time.',
    'If this network blocks or redirects port 53, set a wait; if its DNS answers for the zone itself, name a public DNS server.',
  ],
  [
    /acme:error:dns|acme:error:.*(?:TXT record|DNS challenge)/i,
    'The certificate authority did not find the record.',
  ],
  [/urn:ietf:params:acme:error|acme: error: \d/, 'The certificate authority refuses.'],
  [
    /could not find (?:zone|the start of authority)|code=(?:REFUSED|NXDOMAIN)|code '(?:REFUSED|NXDOMAIN)'/i,
    'The DNS does not know the zone of a name.',
    'If this network’s DNS answers for the zone itself, name a public DNS server.',
  ],
  [/error presenting token|new provider|DNS provider/, 'The DNS provider refuses the record.'],
];

type Said = {
  /** What lego printed to its standard error. */
  output: string;
  mask: (text: string) => string;
  /** If it took longer: how many milliseconds it had. */
  late?: number | undefined;
  /** What ended it. */
  signal?: string | number | null | undefined;
};

/** The failure that lego's output describes. Pure. */
export function failureOf({ output, mask, late, signal }: Said): Failure {
  const lines = linesOf(clean(output));
  const error = errorOf(lines);
  const said = (text: string) => cut(readable(mask(text))) || undefined;
  if (late !== undefined || signal) {
    const last = lines.findLast(({ text }) => text !== '')?.text ?? '';
    const why = late === undefined ? `was killed (${signal})` : `took over ${late / 1000} seconds`;
    const message = `lego ${why} and did not get the certificate; detail has its last words.`;
    return new Failure('CERTIFICATE_FAILED', message, { detail: said(last) });
  }
  if (error.includes('credentials information are missing')) {
    const message = 'The DNS provider needs further credentials.';
    const at = { field: 'dns.credentials' };
    return new Failure('INVALID_REQUEST', message, { detail: said(error), at });
  }
  const [, message = 'lego could not get the certificate.', hint] =
    MEANINGS.find(([pattern]) => pattern.test(error)) ?? [];
  return new Failure('CERTIFICATE_FAILED', message, { detail: said(error), hint });
}

/** What lego said of a record that it could not remove; null if it removed all. Pure. */
export function notRemoved({ output, mask }: Said): string | null {
  const found = linesOf(clean(output)).find(({ text }) => text.includes('cleaning up failed'));
  return found === undefined ? null : cut(readable(mask(found.text)));
}

type Line = { dated: boolean; level: string | undefined; text: string };

const clean = (output: string): string => output.replaceAll('\r', '\n').replace(UNSEEN, '');

const linesOf = (output: string): Line[] =>
  output
    .split('\n')
    // A name whose record was set.
    .filter((line) => !line.includes(TRIED))
    .map((line) => {
      const [prefix, level] = DATED.exec(line) ?? [];
      return { dated: prefix !== undefined, level, text: line.slice(prefix?.length ?? 0).trim() };
    });

/** The last entry without a level, which made lego end; else what comes after the last entry. */
function errorOf(lines: readonly Line[]): string {
  const at = lines.findLastIndex(
    ({ dated, level, text }) => dated && level === undefined && !NOTE.test(text),
  );
  const from = at < 0 ? lines.findLastIndex(({ dated }) => dated) + 1 : at;
  const end = lines.findIndex(({ dated }, index) => index > from && dated);
  const texts = lines.slice(from, end < 0 ? lines.length : end).map(({ text }) => text);
  return texts.filter(Boolean).join('\n');
}

/** Names with the same reason stand together before it: `a.example, b.example: the reason`. */
function readable(error: string): string {
  const names = new Map<string, string[]>();
  for (const line of error.split('\n')) {
    const [, name, rest] = /^\[([^\]]+)\] (.*)$/.exec(line) ?? [null, null, line];
    const reason = reasonOf(
      rest.startsWith(`[${name}] `) ? rest.slice((name?.length ?? 0) + 3) : rest,
    );
    if (reason === '') continue;
    names.set(reason, [...(names.get(reason) ?? []), ...(name ? [name] : [])]);
  }
  return [...names]
    .map(([reason, of]) => (of.length === 0 ? reason : `${of.join(', ')}: ${reason}`))
    .join('; ');
}

/** Without what lego says of itself. */
const reasonOf = (text: string): string =>
  text
    .replace(/^(?:Could not obtain certificates:|error: one or more domains had a problem:)\s*/, '')
    .replace(/^Could not (?:create client|complete registration):?\s*/, '')
    .replace(/^get directory at '[^']*': /, '')
    .replace(/^Get "[^"]*": GET \S+ giving up after \d+ attempt\(s\): /, '')
    .replace(/^(?:acme: )?error presenting token: /, '')
    .replace(/^acme: cleaning up failed: /, '')
    .replace(
      /(?:acme: )?error: \d{3} :: (?:[A-Z]+ :: \S+ :: )?urn:ietf:params:acme:error:\w+ :: /g,
      '',
    )
    .replace(/, url:\s*(?:\S+)?$/, '')
    .trim();

const cut = (text: string): string =>
  text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 2).trimEnd()} …`;
