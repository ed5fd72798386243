/**
 * Whether an adapted configuration holds only what no Caddy refuses, or needs much memory for: it can be loaded
 * without having been validated. A list of what is known, so that what is missing in it is validated. Pure.
 *
 * Each entry says why it cannot fail, by Caddy's documentation of its JSON (caddyserver.com/docs/json); the test
 * beside this has each Caddy validate generated sites of these parts.
 */
import { field, isObject, type Json, list } from '../../../src/shared/json.ts';

/**
 * What a value has to be. Of a list: `[what each item is]`. Of an object: what its members are, where `*` stands
 * for any other name; none has to be there.
 */
type Shape = ((value: Json) => boolean) | [Shape] | { [name: string]: Shape };

/** Values in a configuration: 10,000 sites have some 400,000. Loading a million takes 300 MiB. */
const MOST_VALUES = 1_000_000;

/** @param budget how many values may still be looked at */
function fits(value: Json, shape: Shape | undefined, budget: { left: number }): boolean {
  if (--budget.left < 0 || shape === undefined) return false;
  if (typeof shape === 'function') return shape(value);
  if (Array.isArray(shape)) {
    return Array.isArray(value) && value.every((item) => fits(item, shape[0], budget));
  }
  if (!isObject(value)) return false;
  return Object.keys(value).every((name) => {
    const known = Object.hasOwn(shape, name) ? shape[name] : shape['*'];
    return fits(value[name] ?? null, known, budget);
  });
}

// Single values.

/** Text that Caddy uses as it comes, with placeholders or without. */
const text = (value: Json) => typeof value === 'string';
/** Text where a placeholder is looked up at the load, and an unknown one is an error. */
const fixedText = (value: Json) => text(value) && !String(value).includes('{');
const number = (value: Json) => typeof value === 'number';
const flag = (value: Json) => typeof value === 'boolean';
/** Caddy reads these as text (`WeakString`). */
const scalar = (value: Json) => text(value) || number(value) || flag(value);
const oneOf = (...known: Json[]) => known.includes.bind(known);

// Lists. Each counts as one value for the budget, and is short: a line of a Caddyfile.

/** Caddy refuses some lists that name something twice, in any case of its letters. */
const isDistinct = (all: readonly Json[]) =>
  new Set(all.map((one) => String(one).toLowerCase())).size === all.length;
const texts = (value: Json) => Array.isArray(value) && value.every(text) && isDistinct(value);
/** Without international names: newer releases convert them, which may fail. */
const host = (value: Json) => /^(?!.*xn--)[\w.*:[\]-]+$/i.test(String(value));
const hosts = (value: Json) => texts(value) && list(value).every(host);
/** `127.0.0.1:8080`, without a range or another network. */
const listener = (value: Json) => /^[\w.:[\]]*:\d+$/.test(String(value));

// Parts of several handlers.

/** Names of header fields with their values: only a search by a pattern, which is not here, is compiled. */
const fields = { '*': [text] } satisfies Shape;
/** `http.handlers.headers`: without `replace` and `require`, nothing of it is compiled. */
const headerOps = { set: fields, add: fields, delete: texts, deferred: flag } satisfies Shape;
const headers = { request: headerOps, response: headerOps } satisfies Shape;

// Routes. They nest, and each level is looked at by the same budget.

export function isPlain(config: Json): boolean {
  const budget = { left: MOST_VALUES };
  const routes = (value: Json): boolean => fits(value, [route], budget);
  const handler = (value: Json): boolean =>
    isObject(value) && fits(value, shapeOf(handlers, value.handler), budget);

  /** Matchers by host, path, method and header compare text. Regular expressions, CEL and networks are parsed. */
  const matcher: Shape = { host: hosts, path: texts, method: texts, header: fields };
  const route: Shape = {
    match: [{ ...matcher, not: [matcher] }],
    handle: [handler],
    group: text,
    terminal: flag,
  };

  const handlers: Readonly<Record<string, Shape>> = {
    // Values of any name, with nothing to set up.
    vars: { '*': scalar },
    // Its routes are as those of a server.
    subroute: { handler: text, routes },
    headers: { handler: text, ...headers },
    // The status is read when it is needed: a wrong one becomes 500.
    error: { handler: text, error: text, status_code: scalar },
    static_response: {
      handler: text,
      body: text,
      headers: fields,
      status_code: scalar,
      close: flag,
      abort: flag,
    },
    // Without `uri_substring` and `path_regexp`, nothing of it is compiled.
    rewrite: { handler: text, method: text, uri: text, strip_path_prefix: text },
    // Files are looked for at each request. Only `browse` with a template reads one at the load.
    file_server: { handler: text, hide: texts, index_names: texts, browse: {} },
    // Both encoders are part of every Caddy; without a level, there is nothing to check.
    encode: { handler: text, encodings: { gzip: {}, zstd: {} }, prefer: texts },
    // The address is parsed at the request if it has a placeholder, and by the adapter if not. Policies,
    // health checks and certificates of authorities are not here.
    reverse_proxy: {
      handler: text,
      upstreams: [{ dial: text }],
      headers,
      transport: { protocol: oneOf('http'), tls: { insecure_skip_verify: flag } },
      rewrite: { method: text, uri: text },
      handle_response: [{ match: { status_code: [number] }, routes }],
    },
  };

  const server: Shape = {
    listen: [listener],
    routes,
    errors: { routes },
    // Names of loggers: one that does not exist is silent.
    logs: { logger_names: { '*': scalar }, skip_hosts: texts },
  };

  return fits(
    config,
    {
      apps: {
        http: { http_port: number, https_port: number, servers: { '*': server } },
        tls: { automation: { policies } },
        // `install_trust` alone: other roots are read from files.
        pki: { certificate_authorities: { local: { install_trust: flag } } },
      },
    },
    budget,
  );
}

const challenge: Shape = { alternate_port: number };
const shapeOf = (shapes: Readonly<Record<string, Shape>>, name: Json | undefined) =>
  typeof name === 'string' && Object.hasOwn(shapes, name) ? shapes[name] : undefined;

const byAcme: Shape = {
  module: text,
  email: fixedText,
  ca: fixedText,
  challenges: { http: challenge, 'tls-alpn': challenge },
};
/**
 * The internal issuer has no `ca` here: it is the name of an authority, which has to exist. That of the others is
 * the address of a directory, which is asked for when a certificate is needed.
 */
const ISSUERS = { internal: { module: text }, acme: byAcme, zerossl: byAcme };

/** Caddy refuses two policies for one host. */
function policies(value: Json): boolean {
  const issuer = (one: Json): boolean =>
    isObject(one) && fits(one, shapeOf(ISSUERS, one.module), { left: MOST_VALUES });
  return (
    fits(value, [{ subjects: hosts, issuers: [issuer] }], { left: MOST_VALUES }) &&
    isDistinct(list(value).flatMap((one) => list(field(one, 'subjects'))))
  );
}
