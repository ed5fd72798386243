/** Reads a database of Nginx Proxy Manager, of 2.9 to today's, by the columns that it has. */
import { isObject } from '../../../shared/json.ts';
import { inDatabase, notNpm, type Row, type Tables } from './database.ts';
import type {
  AccessList,
  Host,
  Location,
  ProxyHost,
  RedirectionHost,
  Rows,
  StoredCertificate,
} from './rows.ts';

/** @throws Failure INVALID_REQUEST at `file` for anything that is not such a database, or is damaged */
export const readNpm = (file: Uint8Array): Rows => inDatabase(file, rowsOf);

function rowsOf({ columns, rows }: Tables): Rows {
  const isDeleted = (row: Row) => isSet(row.is_deleted);
  const read = (table: string) => rows(table).filter((row) => !isDeleted(row));
  const missing = ['proxy_host', 'access_list', 'setting'].filter(
    (table) => columns(table).length === 0,
  );
  if (missing.length > 0) throw notNpm(`It has no table ${missing.join(', ')}.`);
  const [users, clients] = ['access_list_auth', 'access_list_client'].map((table) =>
    Map.groupBy(read(table), (row) => numberOf(row.access_list_id)),
  );
  const lists = rows('access_list');
  const deletedLists = new Set(lists.filter(isDeleted).map(({ id }) => numberOf(id)));
  const logged = columns('audit_log');
  const isLogged = deletedLists.size > 0 && LOGGED.every((name) => logged.includes(name));
  const listBefore = isLogged ? listsBefore(rows('audit_log', LAST_ENTRIES)) : null;
  const site = read('setting').find(({ id }) => id === 'default-site');
  const siteMeta = objectIn(site?.meta);
  return {
    proxies: read('proxy_host').map((row) => {
      const proxy = proxyOf(row);
      const before = listBefore?.get(proxy.id) ?? 0;
      const isLost = proxy.accessListId === 0 && deletedLists.has(before);
      return isLost ? { ...proxy, accessListId: before } : proxy;
    }),
    redirections: read('redirection_host').map(redirectionOf),
    dead: read('dead_host').map((row) => ({ kind: 'dead', ...hostOf(row) })),
    streams: read('stream').map((row) => ({
      port: numberOf(row.incoming_port),
      to: `${textOf(row.forwarding_host ?? row.forward_ip)}:${numberOf(row.forwarding_port)}`,
      protocols: [
        ...(isSet(row.tcp_forwarding) ? (['TCP'] as const) : []),
        ...(isSet(row.udp_forwarding) ? (['UDP'] as const) : []),
      ],
    })),
    accessLists: lists
      .filter((row) => !isDeleted(row))
      .map((row): AccessList => {
        const id = numberOf(row.id);
        return {
          id,
          name: textOf(row.name),
          satisfies: isSet(row.satisfy_any) ? 'any' : 'all',
          passesAuthorization: isSet(row.pass_auth ?? 1),
          users: (users?.get(id) ?? []).map(({ username, password }) => ({
            name: textOf(username),
            password: textOf(password),
          })),
          clients: (clients?.get(id) ?? []).map(({ directive, address }) => ({
            directive: directive === 'allow' ? 'allow' : 'deny',
            address: textOf(address),
          })),
        };
      }),
    certificates: read('certificate').map(certificateOf),
    users: read('user').length,
    defaultSite: {
      value: textOf(site?.value) || 'congratulations',
      redirect: textOf(siteMeta.redirect),
      html: textOf(siteMeta.html),
    },
  };
}

const LOGGED = ['id', 'object_type', 'object_id', 'meta'];

/** When an access list is deleted, its hosts forget it; only the audit log still says that they had it. */
const LAST_ENTRIES = `WHERE id IN
  (SELECT max(id) FROM audit_log WHERE object_type = 'proxy-host' GROUP BY object_id)`;

const listsBefore = (entries: readonly Row[]): ReadonlyMap<number, number> =>
  new Map(
    entries.map(({ object_id, meta }) => [
      numberOf(object_id),
      numberOf(objectIn(meta).access_list_id),
    ]),
  );

function hostOf(row: Row): Host {
  const meta = objectIn(row.meta);
  const isOnline = meta.nginx_online !== false && isSet(row.npmplus_nginx_online ?? 1);
  const hsts = isSet(row.hsts_subdomains) ? 'subdomains' : 'host';
  return {
    id: numberOf(row.id),
    domains: listIn(row.domain_names).flatMap((one) => (typeof one === 'string' ? one : [])),
    isEnabled: isSet(row.enabled ?? 1),
    fault: isOnline ? null : textOf(meta.nginx_err ?? row.npmplus_nginx_err),
    certificateId: numberOf(row.certificate_id),
    isForcedToHttps: isSet(row.ssl_forced),
    hsts: isSet(row.hsts_enabled) ? hsts : 'none',
    advanced: textOf(row.advanced_config),
    unknown: [...new Set([row, ...locationsIn(row)].flatMap(unknownIn))],
  };
}

/** Without those that a variant of NPM has switched off. */
const locationsIn = (row: Row): Row[] =>
  listIn(row.locations).filter(
    (one): one is Row => isObject(one) && isSet(one.npmplus_enabled ?? 1),
  );

/** What a variant of NPM calls nothing. */
const OPEN = new Set(['[]', '{}', 'public', 'global']);

const unknownIn = (row: Row): string[] =>
  Object.keys(row).filter(
    (name) =>
      name.startsWith('npmplus_') &&
      !/^npmplus_(?:enabled|nginx_\w+)$/.test(name) &&
      isSet(row[name]) &&
      !OPEN.has(String(row[name])),
  );

const proxyOf = (row: Row): ProxyHost => ({
  kind: 'proxy',
  ...hostOf(row),
  to: {
    scheme: textOf(row.forward_scheme) || 'http',
    // Its name in 2.0.
    host: textOf(row.forward_host ?? row.forward_ip),
    port: numberOf(row.forward_port),
  },
  accessListId: numberOf(row.access_list_id),
  locations: locationsIn(row).map(locationOf),
  caches: isSet(row.caching_enabled),
  blocksExploits: isSet(row.block_exploits),
  trustsForwardedProto: isSet(row.trust_forwarded_proto),
});

const locationOf = (one: Row): Location => ({
  path: `${textOf(one.location_type)} ${textOf(one.path)}`.trim(),
  scheme: textOf(one.forward_scheme) || 'http',
  host: textOf(one.forward_host),
  port: numberOf(one.forward_port),
  forwardPath: textOf(one.forward_path),
  advanced: textOf(one.advanced_config),
});

function redirectionOf(row: Row): RedirectionHost {
  const scheme = textOf(row.forward_scheme);
  return {
    kind: 'redirection',
    ...hostOf(row),
    // `$scheme` until 2.10.
    scheme: scheme === 'http' || scheme === 'https' ? scheme : 'auto',
    target: textOf(row.forward_domain_name),
    code: numberOf(row.forward_http_code) || 302,
    keepsPath: isSet(row.preserve_path),
    blocksExploits: isSet(row.block_exploits),
  };
}

function certificateOf(row: Row): StoredCertificate {
  const meta = objectIn(row.meta);
  const provider = row.provider === 'letsencrypt' ? 'letsencrypt' : 'other';
  const [leaf, more, key] = [
    meta.certificate,
    meta.intermediate_certificate,
    meta.certificate_key,
  ].map(textOf);
  return {
    id: numberOf(row.id),
    provider,
    name: textOf(row.nice_name),
    domains: listIn(row.domain_names).map(textOf),
    isByDns: isSet(meta.dns_challenge),
    pair: provider === 'other' && leaf && key ? { chain: `${leaf}\n${more}`, key } : null,
  };
}

/** Whether a flag or a choice is set: SQLite has no booleans, and other writers have some. */
const isSet = (value: unknown): boolean =>
  !['', '0', 'false', 'none', 'null', 'undefined'].includes(String(value));

const numberOf = (value: unknown): number => {
  const number = Number(value ?? 0);
  return Number.isSafeInteger(number) ? number : 0;
};

/** Without what no text may have: half a character, or a NUL. */
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '') : '';

function jsonIn(value: unknown): unknown {
  try {
    return typeof value === 'string' ? JSON.parse(value) : null;
  } catch {
    return null;
  }
}

const listIn = (value: unknown): unknown[] => {
  const list = jsonIn(value);
  return Array.isArray(list) ? list : [];
};

const objectIn = (value: unknown): Row => {
  const object = jsonIn(value);
  return isObject(object) ? object : {};
};
