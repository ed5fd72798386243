/** What can be ordered, and what lego may get of it; everything else is refused by its field. */
import { isIP } from 'node:net';
import { Failure } from '../../../shared/failure.ts';
import { type Provider, renamed } from './providers.ts';

type DnsSpec = Readonly<{
  /** lego's name of it. */
  provider: string;
  /** By the names of lego's variables. */
  credentials: Readonly<Record<string, string>>;
  /**
   * Which DNS servers to ask for zone and nameservers, `host` or `host:port`; none: the system's. At home
   * these often answer for the own zone themselves, and then a public one has to be asked.
   */
  resolvers?: readonly string[] | undefined;
  /**
   * Seconds to wait for the record instead of asking the zone's nameservers for it. Only for a network that
   * blocks or redirects port 53: asking is exact, and waits no longer than it has to.
   */
  wait?: number | undefined;
}>;

export type CertificateOrder = Readonly<{ names: readonly string[]; email: string; dns: DnsSpec }>;

/** As many as Let's Encrypt puts into one certificate. */
const MOST_NAMES = 100;
const MOST_CREDENTIALS = 40;
/** Of all values together, so that they can be masked. A service account of Google, as JSON, has 2,400. */
const LONGEST_VALUES = 16_384;
const MOST_RESOLVERS = 3;
/** Two names of one zone may have to wait one after the other, within the five minutes of an order. */
const LONGEST_WAIT = 120;

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const HOST = new RegExp(`^(?:${LABEL}\\.)*${LABEL}$`);
const NAME = new RegExp(`^(?:\\*\\.)?(?:${LABEL}\\.)+(?=[a-z0-9-]*[a-z])${LABEL}$`);
const EMAIL = new RegExp(`^[a-z0-9][a-z0-9._%+-]{0,63}@(?:${LABEL}\\.)+${LABEL}$`, 'i');

const refused = (field: string, message: string): Failure =>
  new Failure('INVALID_REQUEST', message, { at: { field } });

/**
 * The names in lower case.
 * @throws Failure INVALID_REQUEST naming `names`
 */
function checkNames(given: readonly string[]): string[] {
  const names = given.map((name) => name.toLowerCase());
  if (names.length < 1 || names.length > MOST_NAMES) {
    throw refused('names', `A certificate has 1 to ${MOST_NAMES} names.`);
  }
  for (const [at, name] of names.entries()) {
    const shown = JSON.stringify(name.slice(0, 253));
    if (isIP(name) !== 0) {
      throw refused('names', `${shown} is an IP address: it has no DNS, which proves names.`);
    }
    if (name.length > 253 || !NAME.test(name)) {
      throw refused('names', `${shown} is not a name like home.example or *.home.example.`);
    }
    if (names.indexOf(name) !== at) throw refused('names', `${shown} is there twice.`);
  }
  return names;
}

/** `host:port`, as lego's `--dns.resolvers` takes it; null if it is neither that nor a host. */
export function resolverOf(given: string): string | null {
  const [, six, name, port = '53'] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(given) ?? [];
  if (Number(port) < 1 || Number(port) > 65_535) return null;
  if (six !== undefined) return isIP(six) === 6 ? `[${six}]:${port}` : null;
  const host = name?.toLowerCase() ?? '';
  const isHost = /^[\d.]+$/.test(host) ? isIP(host) === 4 : HOST.test(host);
  return isHost && host.length <= 253 ? `${host}:${port}` : null;
}

/**
 * The order as lego gets it, names in lower case and resolvers with ports, and its provider.
 * @param find lego's provider of that name
 * @throws Failure INVALID_REQUEST naming the field
 */
export async function checkOrder(
  { names, email, dns }: CertificateOrder,
  find: (id: string) => Promise<Provider | null>,
): Promise<{ order: CertificateOrder; provider: Provider }> {
  const { provider: id, credentials, resolvers = [], wait } = dns;
  const checked = checkNames(names);
  if (email.length > 254 || !EMAIL.test(email)) {
    throw refused('email', 'The email address for the authority is not valid.');
  }
  const provider = await find(id);
  if (provider === null) {
    throw refused('dns.provider', 'lego has no such DNS provider, or it cannot be used by a hub.');
  }
  checkCredentials(provider, credentials);
  if (resolvers.length > MOST_RESOLVERS) {
    throw refused('dns.resolvers', `There can be ${MOST_RESOLVERS} DNS servers.`);
  }
  const addresses = resolvers.map((one) => {
    const address = resolverOf(one);
    if (address !== null) return address;
    const message = 'A DNS server is a host or host:port; an IPv6 address has brackets.';
    throw refused('dns.resolvers', message);
  });
  if (wait !== undefined) {
    if (!(Number.isInteger(wait) && wait >= 1 && wait <= LONGEST_WAIT)) {
      throw refused('dns.wait', `The wait has 1 to ${LONGEST_WAIT} seconds.`);
    }
    if (variableOf(provider, 'POLLING_INTERVAL') === undefined) {
      throw refused('dns.wait', 'lego cannot wait with this provider.');
    }
  }
  return { order: { names: checked, email, dns: { ...dns, resolvers: addresses } }, provider };
}

/**
 * lego reads more than it lists: for any NAME it takes `NAME_FILE`, whose file it would send to an address
 * of the caller's choice. So only what it lists may be given, less what names a file.
 */
function checkCredentials(provider: Provider, credentials: DnsSpec['credentials']): void {
  const entries = Object.entries(credentials);
  const most = LONGEST_VALUES.toLocaleString('en');
  if (entries.length > MOST_CREDENTIALS) {
    throw refused('dns.credentials', `There can be ${MOST_CREDENTIALS} credentials.`);
  }
  for (const [name, value] of entries) {
    const field = `dns.credentials.${name.slice(0, 100)}`;
    if (!provider.fields.some((one) => one.name === name || one.name === renamed(name))) {
      throw refused(field, `${provider.title} has no such field.`);
    }
    if (value.length > LONGEST_VALUES || /[\0\r\n]/.test(value)) {
      throw refused(field, `A credential is one line of at most ${most} characters.`);
    }
  }
  if (entries.reduce((sum, [, value]) => sum + value.length, 0) > LONGEST_VALUES) {
    throw refused('dns.credentials', `Credentials have at most ${most} characters together.`);
  }
}

/** The provider's variable whose name ends so. */
export const variableOf = (provider: Provider, end: string): string | undefined =>
  provider.fields.find(({ name }) => name.endsWith(`_${end}`))?.name;
