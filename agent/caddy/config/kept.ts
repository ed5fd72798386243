/** Adds the certificates that the hub keeps to a configuration, for the sites that have no `tls` of their own. Pure. */
import { field, type Json, type JsonObject, list, object } from '../../../src/shared/json.ts';
import { hostKey } from '../../logs/line/entry.ts';
import { hasAutomaticHttps, hostsOf, ownListeners, portOf } from '../ports/ports.ts';
import { withRedirects } from './kept-redirects.ts';
import type { OwnTls } from './own-tls.ts';

/** A certificate that a text names. */
export type Kept = {
  digest: string;
  /** The host names in it, lower case. */
  names: readonly string[];
  /** Whether it names a server that Caddy asks whether it is revoked. */
  hasResponder: boolean;
  /** Both PEM. */
  chain: string;
  key: string;
};

/** What the agent adds to a configuration of certificates. */
export type KeptStamp = {
  /** The one that ends last comes first. */
  certificates: readonly Kept[];
  own: OwnTls;
};

/** What the tag of a certificate begins with that the agent added; its other tags are its names. */
const TAG = 'signalbox-';
const tagOf = ({ digest }: Kept): string => TAG + digest;

/** A tag that no certificate has: Caddy then gets one when it is asked. */
const NONE = `${TAG}none`;

/**
 * Caddy serves every name under a wildcard with it, and asks no authority. Of two for one name, it serves
 * the one that it has had longer (since 2.8, over loads as well), so that connection policies have to
 * choose, or the other one is left out.
 * @returns a new object, or the same if there are no sites or certificates
 */
export function withKept(config: JsonObject, { certificates, own }: KeptStamp): JsonObject {
  const apps = object(config.apps);
  const http = object(apps.http);
  const servers = Object.entries(object(http.servers));
  if (servers.length === 0 || certificates.length === 0) return config;
  const namesOf = new Map(servers.map(([name, server]) => [name, secureNames(server, http)]));
  const served = [...namesOf.values()].flatMap((names) => [...names]);
  const used = withoutNeedless(certificates, served, own);
  const find = finder(used);
  const tls = object(apps.tls);
  const given = object(tls.certificates);
  // Files of the configuration may have the same names.
  const hasOthers = given.load_files !== undefined || given.load_folders !== undefined;
  const automate = [...own].flatMap(([name, how]) => {
    const found = find(hostKey(name));
    return how === 'managed' && found.wild.length > 0 && found.exact.length === 0 ? name : [];
  });
  const chosen = servers.map(([name, server]): [string, Json] => {
    const choices = choicesFor(namesOf.get(name) ?? new Set(), find, own, hasOthers);
    return [name, withChoices(object(server), choices)];
  });
  const isCertified = (name: string) => {
    const { exact, wild } = find(hostKey(name));
    return exact.length + wild.length > 0;
  };
  const load_pem = used.map((one) => ({
    certificate: one.chain,
    key: one.key,
    tags: [tagOf(one), ...one.names],
  }));
  return {
    ...config,
    apps: {
      ...apps,
      http: { ...http, servers: Object.fromEntries(withRedirects(chosen, http, isCertified)) },
      tls: {
        ...tls,
        ...(tls.automation !== undefined && { automation: exactFirst(object(tls.automation)) }),
        // Each load would wait for that server, and forever for one that does not answer.
        ...(used.some((one) => one.hasResponder) && { disable_ocsp_stapling: true }),
        certificates: {
          ...given,
          load_pem: [...list(given.load_pem), ...load_pem],
          ...(automate.length > 0 && {
            automate: [...new Set([...list(given.automate), ...automate])],
          }),
        },
      },
    },
  };
}

/** Caddy takes the first policy that covers a name, and 2.6 writes one with a wildcard before that of a site below it. */
function exactFirst(automation: JsonObject): JsonObject {
  const policies = list(automation.policies);
  const isExact = (policy: Json) => {
    const subjects = list(field(policy, 'subjects'));
    return subjects.length > 0 && !subjects.some((name) => String(name).startsWith('*'));
  };
  const others = policies.filter((policy) => !isExact(policy));
  return { ...automation, policies: [...policies.filter(isExact), ...others] };
}

/** The names that a server serves over TLS by certificates that Caddy looks for. */
function secureNames(server: Json, http: JsonObject): Set<string> {
  const ports = ownListeners(server).map(({ port }) => port);
  const isSecure =
    list(field(server, 'tls_connection_policies')).length > 0 ||
    hasAutomaticHttps(server, ports, portOf(http.http_port, 80));
  const hosts = isSecure ? list(field(server, 'routes')).flatMap(hostsOf) : [];
  return new Set(hosts.map((host) => hostKey(String(host))));
}

/** Without those that later ones replace, and those that only sites with a `tls` of their own would need. */
function withoutNeedless(
  certificates: readonly Kept[],
  served: readonly string[],
  own: OwnTls,
): Kept[] {
  const others = served.filter((name) => !own.has(name));
  const later = new Set<string>();
  return certificates.filter(({ names }) => {
    const isReplaced = names.every((name) => later.has(name));
    for (const name of names) later.add(name);
    if (isReplaced) return false;
    // One that is obtained on demand is left to a connection policy.
    const isContested = names.some((name) => own.get(name) === 'managed');
    return !isContested || others.some((name) => names.some((one) => covers(one, name)));
  });
}

const wildOf = (name: string): string => name.replace(/^[^.]*/, '*');
const covers = (pattern: string, name: string): boolean =>
  pattern === name || pattern === wildOf(name);

type Finder = (name: string) => { exact: readonly Kept[]; wild: readonly Kept[] };

/** Which certificates Caddy may choose from: those with the very name, otherwise those with the wildcard. */
function finder(certificates: readonly Kept[]): Finder {
  const byName = new Map<string, Kept[]>();
  for (const one of certificates) {
    for (const name of one.names) byName.set(name, [...(byName.get(name) ?? []), one]);
  }
  return (name) => {
    const wild = wildOf(name);
    return { exact: byName.get(name) ?? [], wild: name === wild ? [] : (byName.get(wild) ?? []) };
  };
}

/** The tag that a name needs; null: what Caddy does anyway, which the choice for a wildcard must not change. */
type Choices = ReadonlyMap<string, string | null>;

function choicesFor(
  names: ReadonlySet<string>,
  find: Finder,
  own: OwnTls,
  hasOthers: boolean,
): Choices {
  const choices = new Map<string, string | null>();
  for (const name of names) {
    const { exact, wild } = find(name);
    const [first, second] = exact.length > 0 ? exact : wild;
    const how = own.get(name);
    if (!first || (how === 'managed' && exact.length === 0)) choices.set(name, null);
    else if (how === 'on demand') choices.set(name, NONE);
    else {
      const isContested =
        second || hasOthers || how || (exact.length === 0 && own.has(wildOf(name)));
      choices.set(name, isContested ? tagOf(first) : null);
    }
  }
  const isChosen = (name: string) => choices.get(name) != null;
  const isWildChosen = [...choices.keys()].some((name) => name.startsWith('*') && isChosen(name));
  return isWildChosen ? choices : new Map([...choices].filter(([name]) => isChosen(name)));
}

/** Puts a copy of the connection policy of each such name before it, with the choice. */
function withChoices(server: JsonObject, choices: Choices): JsonObject {
  if (choices.size === 0) return server;
  const given = list(server.tls_connection_policies);
  const policies = given.length > 0 ? given : [{}];
  const groups = policies.map(() => new Map<string, { tag: string | null; names: string[] }>());
  for (const [name, tag] of choices) {
    const at = policies.findIndex((policy) => isFor(policy, name));
    const policy = object(policies[at]);
    const isOther = Object.keys(object(policy.match)).some((matcher) => matcher !== 'sni');
    if (at === -1 || isOther || policy.certificate_selection !== undefined) continue;
    // A wildcard comes last, as it covers the others.
    const key = `${name.startsWith('*')} ${tag}`;
    const group = groups[at]?.get(key) ?? { tag, names: [] };
    group.names.push(name);
    groups[at]?.set(key, group);
  }
  const chosen = policies.flatMap((policy, at) => [
    ...[...(groups[at] ?? [])]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, { tag, names }]) => ({
        ...object(policy),
        match: { sni: names },
        ...(tag !== null && { certificate_selection: { any_tag: [tag] } }),
      })),
    policy,
  ]);
  return { ...server, tls_connection_policies: chosen };
}

function isFor(policy: Json, name: string): boolean {
  const names = field(policy, 'match', 'sni');
  return !Array.isArray(names) || names.some((one) => covers(hostKey(String(one)), name));
}

/** Whether the choice of a connection policy is a file that the configuration names. */
export const isGiven = (selection: Json | undefined): boolean =>
  selection !== undefined && !tagsOf(selection).some((tag) => tag.startsWith(TAG));

const tagsOf = (selection: Json | undefined) => list(field(selection, 'any_tag')).map(String);

/**
 * Tells which names of a live configuration are served by certificates that the agent added.
 * @param selection of the name's connection policy
 */
export function keptNames(config: Json): (name: string, selection: Json | undefined) => boolean {
  const given = field(config, 'apps', 'tls', 'certificates');
  const names = new Set(
    list(field(given, 'load_pem')).flatMap((one) => {
      const [tag, ...rest] = list(field(one, 'tags')).map(String);
      return tag?.startsWith(TAG) ? rest : [];
    }),
  );
  const automated = new Set(list(field(given, 'automate')).map((one) => hostKey(String(one))));
  return (name, selection) => {
    if (selection !== undefined) {
      return tagsOf(selection).some((tag) => tag.startsWith(TAG) && tag !== NONE);
    }
    return names.has(name) || (names.has(wildOf(name)) && !automated.has(name));
  };
}
