/** lego's DNS providers with their fields, as `lego dnshelp` lists them. */
import { type Static, t } from 'elysia';

const providerField = t.Object({
  name: t.String({ description: 'The variable of lego, a key of `credentials`.' }),
  description: t.String({ description: 'In lego’s words.' }),
  advanced: t.Optional(t.Boolean({ description: 'Hardly anybody needs it.' })),
});

const provider = t.Object({
  id: t.String(),
  title: t.String(),
  fields: t.Array(providerField),
});

export const providersAnswer = t.Object(
  {
    available: t.Boolean({ description: 'Whether the hub has a lego.' }),
    reason: t.Optional(t.String({ description: 'Why not, and what helps.' })),
    providers: t.Array(provider, { description: 'The most common ones first.' }),
  },
  { title: 'DnsProviders' },
);

export type Provider = Static<typeof provider>;
export type ProvidersAnswer = Static<typeof providersAnswer>;

/**
 * Those that homes use most, by what forums and the examples of other managers name: registrars and DNS
 * hosts with free or cheap zones, then the own nameserver.
 */
const COMMON = [
  'cloudflare',
  'desec',
  'duckdns',
  'hetzner',
  'ovh',
  'porkbun',
  'route53',
  'digitalocean',
  'gandiv5',
  'ionos',
  'inwx',
  'netcup',
  'namecheap',
  'godaddy',
  'linode',
  'rfc2136',
  'pdns',
];

/**
 * `exec` runs a program of the caller's choice and `manual` waits for a key to be pressed; the others
 * need a file of the hub's machine: a state that they write, or a key that is in no variable.
 */
const REFUSED = ['exec', 'manual', 'acme-dns', 'hyperone', 'oraclecloud', 'transip'];

/** What names a file, or a part of one. */
const NAMES_FILE = /_(?:FILE|PATH|DIR|EDGERC|EDGERC_SECTION|KEYTAB|PROFILE)$/;
const SAYS_FILE = /\b(?:file|path)\b/i;
/** How to talk to the provider: nobody needs a form for that. */
const TUNES = /_(?:TTL|HTTP_TIMEOUT|DNS_TIMEOUT)$/;

/** Whether it would make lego read a file, any that the hub's user can read. */
const namesFile = (name: string, description: string): boolean =>
  NAMES_FILE.test(name) || SAYS_FILE.test(description.replace(/\([^)]*\)/g, ''));

/** lego's newer name of a variable; it still reads the older one. */
export const renamed = (name: string): string =>
  name.replace(/^RFC2136_/, 'DNSUPDATE_').replace(/^HETZNER_API_KEY$/, 'HETZNER_API_TOKEN');

/** The providers that a hub can use, in the text of `lego dnshelp`; empty if that is no such text. Pure. */
export function readIds(text: string): string[] {
  const line = /^ {2}[a-z0-9-]+(?:, [a-z0-9-]+)+$/m.exec(text)?.[0] ?? '';
  return (line.match(/[a-z0-9-]+/g) ?? []).filter((id) => !REFUSED.includes(id));
}

/** A provider in the text of `lego dnshelp -c ID`. Pure. */
export function readProvider(id: string, text: string): Provider {
  const title = /^Configuration for (.+)\.$/m.exec(text)?.[1] ?? id;
  const [credentials = '', additional = ''] = text.split(/^Additional Configuration:$/m);
  const fieldsIn = (part: string, more: { advanced?: true }) =>
    [...part.matchAll(/^ {2}- "([A-Z][A-Z0-9_]*)":\s*(.*)$/gm)].flatMap(
      ([, name = '', description = '']) =>
        namesFile(name, description) || TUNES.test(name) ? [] : [{ name, description, ...more }],
    );
  return {
    id,
    title,
    fields: [...fieldsIn(credentials, {}), ...fieldsIn(additional, { advanced: true })],
  };
}

/** The common ones first, then by title. Pure. */
export const sortProviders = (all: readonly Provider[]): Provider[] => {
  const rank = ({ id }: Provider) => (COMMON.includes(id) ? COMMON.indexOf(id) : COMMON.length);
  return all.toSorted((a, b) => rank(a) - rank(b) || a.title.localeCompare(b.title, 'en'));
};
