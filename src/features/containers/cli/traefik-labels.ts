/** Reads the labels of Traefik 2 and 3: routers by host, and the port of their services. Pure. */
import { PLAIN_CONFIG } from '../../apply/schemas.ts';
import type { SeenContainer } from '../sites.ts';
import {
  addressOf,
  configFor,
  domainIn,
  Fault,
  type Found,
  notConverted,
  quoted,
  type Read,
} from './found.ts';

/** Fields by their names, in lower case. */
type Fields = Readonly<Record<string, string>>;

/** What each middleware does, by its name. */
export type Middlewares = ReadonlyMap<string, ReadonlySet<string>>;

const THING = /^traefik\.http\.(routers|services|middlewares)\.([^.]+)\.(.+)$/s;

/** Of all containers: they may use those of each other. */
export function middlewaresOf(containers: readonly SeenContainer[]): Middlewares {
  const found = new Map<string, Set<string>>();
  for (const [label] of containers.flatMap(({ labels }) => labelsOf(labels))) {
    const [, kind, name = '', rest = ''] = THING.exec(label) ?? [];
    if (kind !== 'middlewares') continue;
    found.set(name, (found.get(name) ?? new Set()).add(typeOf(rest)));
  }
  return found;
}

/** Headers of answers, and what only Traefik itself needs: whoever does without lets nobody in. */
const HARMLESS_HEADERS =
  /^headers\.(?:customresponseheaders\.|accesscontrol|addvaryheader|browserxss|content|custombrowserxss|customframe|featurepolicy|forcests|frame|isdevelopment|permissionspolicy|publickey|referrerpolicy|ssl|sts)/i;

/** What a field of a middleware makes of it; headers that a service may trust are a type of their own. */
function typeOf(field: string): string {
  const [type = ''] = field.split('.');
  return type === 'headers' && !HARMLESS_HEADERS.test(field) ? REQUEST_HEADERS : type;
}
const REQUEST_HEADERS = 'headers of requests';

/** Traefik reads their names in any case. */
const labelsOf = (labels: Fields): [label: string, value: string][] =>
  Object.entries(labels)
    .map(([label, value]): [string, string] => [label.toLowerCase(), value])
    .filter(([label]) => label.startsWith('traefik.'));

export function traefikSites(container: SeenContainer, middlewares: Middlewares): Read {
  const notes: string[] = [];
  const [routers, services] = [new Map<string, Fields>(), new Map<string, Fields>()];
  const labels = labelsOf(container.labels);
  for (const [label, value] of labels) {
    const [, kind, name = '', field = ''] = THING.exec(label) ?? [];
    const things = kind === 'routers' ? routers : kind === 'services' ? services : null;
    if (things) things.set(name, { ...things.get(name), [field]: value });
    else if (kind === undefined && !/^traefik\.(?:enable|docker\.network)$/.test(label)) {
      notes.push(`${label}: not taken over.`);
    }
  }
  if (labels.some(([label, value]) => label === 'traefik.enable' && /^(?:f|false|0)$/i.test(value)))
    return { sites: [], notes: ['traefik.enable: it is off.'], unsafe: [] };
  if (labels.length > 0 && routers.size === 0) {
    notes.push('There is no router with a rule; the default rule of Traefik is not known here.');
  }
  const isAsked = labels.some(([label]) => label === 'traefik.enable');
  const sites: Found[] = [];
  const unsafe: Read['unsafe'][number][] = [];
  for (const [name, router] of routers) {
    const label = `traefik.http.routers.${name}`;
    if (onlyRedirects(router, middlewares)) {
      notes.push(`${label}: it only redirects to HTTPS, as Caddy does by itself.`);
      continue;
    }
    const said = notesOf(label, router, middlewares);
    const hosts = hostsIn(router.rule ?? '');
    const mark = (why: string) =>
      unsafe.push(...(hosts ?? literalsIn(router.rule ?? '')).map((host) => [host, why] as const));
    if (said.unsafe !== null) mark(said.unsafe);
    try {
      const domains = domainsOf(label, router, hosts);
      const [service, upstream] = serviceOf(router, services, container);
      const config = configFor(domains, (depth) => '\t'.repeat(depth) + PLAIN_CONFIG);
      const left = unusedOf(service, services.get(service));
      sites.push({
        domains,
        config,
        upstream,
        notes: [...said.notes, ...left, ...(isAsked ? [] : [UNASKED])],
      });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      mark(notConverted(container));
      notes.push(`${label}: there is no site of it. ${error.message}`);
    }
  }
  return { sites, notes, unsafe };
}

const UNASKED =
  'traefik.enable is missing: Traefik did not serve it if it has exposedByDefault=false.';

/** @throws Fault */
function domainsOf(label: string, { rule }: Fields, hosts: readonly string[] | null): string[] {
  if (rule === undefined) throw new Fault('It has no rule.');
  if (hosts === null) {
    throw new Fault(`Only Host(…), joined by ||, can be converted: ${label}.rule=${quoted(rule)}`);
  }
  const odd = hosts.find((host) => /[*:/]/.test(host));
  if (odd !== undefined) throw new Fault(`${quoted(odd)} is not the name of a single host.`);
  return [...new Set(hosts.map(domainIn))];
}

const LITERAL = /`([^`]*)`|"((?:[^"\\]|\\.)*)"/g;
const LITERALS = /^(?:`[^`]*`|"[^"\\]*")(?:\s*,\s*(?:`[^`]*`|"[^"\\]*"))*$/;

const literalsIn = (text: string): string[] =>
  [...text.matchAll(LITERAL)].map(([, raw, escaped]) => raw ?? escaped ?? '');

/** The hosts of a rule; null if it says anything else. */
function hostsIn(rule: string): string[] | null {
  const text = rule.trim();
  const inner = /^\((.*)\)$/s.exec(text)?.[1];
  const within = inner === undefined ? null : hostsIn(inner);
  if (within) return within;
  const parts = text.split('||');
  if (parts.length > 1) {
    const all = parts.map(hostsIn);
    return all.some((one) => one === null) ? null : all.flatMap((one) => one ?? []);
  }
  const said = /^host\(\s*([^()]*?)\s*\)$/is.exec(text)?.[1];
  return said !== undefined && LITERALS.test(said) ? literalsIn(said) : null;
}

/** The service of a router, and where Caddy reaches it. @throws Fault */
function serviceOf(
  router: Fields,
  services: ReadonlyMap<string, Fields>,
  container: SeenContainer,
): [name: string, upstream: string] {
  const [only, ...others] = services.keys();
  const name = router.service?.toLowerCase().replace(/@docker$/, '') ?? only ?? '';
  if (router.service === undefined && others.length > 0) {
    throw new Fault('It does not say which of the services it uses.');
  }
  const service = services.get(name);
  if (!service && router.service !== undefined) {
    throw new Fault(
      `Its service ${quoted(router.service)} is not in the labels of this container.`,
    );
  }
  if (service?.['loadbalancer.server.url'] !== undefined) {
    throw new Fault('Its service is at a URL: write that as upstream.');
  }
  const [first] = container.ports.map(({ port }) => port).toSorted((a, b) => a - b);
  const port = Number(service?.['loadbalancer.server.port'] ?? first);
  if (!Number.isInteger(port)) throw new Fault('It has no port.');
  const scheme = service?.['loadbalancer.server.scheme']?.toLowerCase() ?? '';
  if (!['', 'http', 'https', 'h2c'].includes(scheme)) {
    throw new Fault(`The scheme ${quoted(scheme)} is not known here.`);
  }
  return [name, addressOf(port, scheme, container)];
}

/** What else is said of a service. */
function unusedOf(name: string, service: Fields = {}): string[] {
  const known = ['loadbalancer.server.port', 'loadbalancer.server.scheme'];
  return Object.keys(service)
    .filter((field) => !known.includes(field))
    .map((field) => `traefik.http.services.${name}.${field}: not taken over.`);
}

/** What to do instead of a middleware; those of the second list only add to what visitors get anyway. */
const INSTEAD: Readonly<Record<string, string>> = {
  basicauth: 'its users are hashes; make a policy basic-auth with their passwords.',
  forwardauth: 'make a policy forward-auth.',
  ipallowlist: 'make a policy allow.',
  ipwhitelist: 'make a policy allow.',
  redirectscheme: 'Caddy redirects HTTP to HTTPS by itself.',
  compress: 'write encode gzip into the config.',
  headers: 'make a policy headers.',
  [REQUEST_HEADERS]:
    'what a visitor sends reaches the service: write request_header -NAME into the config, or header_up.',
};
const HARMLESS = ['redirectscheme', 'compress', 'headers', 'buffering', 'retry', 'contenttype'];

const listOf = (text = ''): string[] =>
  text.split(',').flatMap((one) => one.trim().toLowerCase() || []);

const typesOf = (name: string, middlewares: Middlewares): string[] => [
  ...(middlewares.get(name.replace(/@docker$/, '')) ?? ['unknown']),
];

/** The names that everybody gives to what is open to the internet, without encryption and with it. */
const PLAIN_ENTRIES = ['web', 'http'];
const PUBLIC_ENTRIES = [...PLAIN_ENTRIES, 'websecure', 'https'];

/** Whether a router sends all that it gets over HTTP to HTTPS. */
function onlyRedirects({ entrypoints, middlewares: used }: Fields, all: Middlewares): boolean {
  const [entries, names] = [listOf(entrypoints), listOf(used)];
  return (
    entries.length > 0 &&
    entries.every((one) => PLAIN_ENTRIES.includes(one)) &&
    names.some((name) => typesOf(name, all).join() === 'redirectscheme')
  );
}

/** Why a router was not for everybody, by where it listens; null if it may have been. */
function placeOf({ entrypoints }: Fields): string | null {
  const entries = listOf(entrypoints);
  if (entries.length === 0 || entries.some((one) => PUBLIC_ENTRIES.includes(one))) return null;
  return `its entry point ${entries.map(quoted).join(', ')} may not have been reached from everywhere`;
}

/** What is not taken over of a router; `unsafe`: why its sites may let in more people than before. */
function notesOf(
  label: string,
  router: Fields,
  middlewares: Middlewares,
): { notes: string[]; unsafe: string | null } {
  const notes: string[] = [];
  const others = Object.keys(router).filter((one) => !['rule', 'service'].includes(one));
  const secured = others.filter((one) => /^(?:entrypoints$|tls$|tls\.(?!options))/.test(one));
  if (secured.length > 0) {
    const which = secured.map((one) => `${label}.${one}`).join(', ');
    notes.push(
      `${which}: not taken over. Caddy gets the certificate, and redirects HTTP to HTTPS.`,
    );
  }
  for (const field of others) {
    if (secured.includes(field) || field === 'middlewares') continue;
    notes.push(`${label}.${field}: not taken over.`);
  }
  let isUnsafe = others.includes('tls.options');
  for (const name of listOf(router.middlewares)) {
    const types = typesOf(name, middlewares);
    isUnsafe ||= !types.every((type) => HARMLESS.includes(type));
    const instead = types.map((type) => INSTEAD[type] ?? 'not taken over.').join(' ');
    notes.push(`${label}.middlewares: ${name} (${types.join(', ')}): ${instead}`);
  }
  const unsafe = isUnsafe ? 'its middlewares or TLS options were not converted' : placeOf(router);
  return { notes, unsafe };
}
