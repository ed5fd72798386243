/**
 * Whether an adapted configuration holds only what no Caddy refuses, or needs much memory for: it can be loaded
 * without having been validated. What is not known here is validated. Pure.
 */
import { field, isObject, type Json, list } from '../../../src/shared/json.ts';

/** What a value is, the items of a list are, or the members of an object are at most; `*` stands for any other. */
type Shape = ((value: Json) => boolean) | [Shape] | { [name: string]: Shape };

function fits(value: Json, shape: Shape | undefined): boolean {
  if (typeof shape === 'function') return shape(value);
  if (Array.isArray(shape)) {
    return Array.isArray(value) && value.every((one) => fits(one, shape[0]));
  }
  if (!shape || !isObject(value)) return false;
  const ofMember = (name: string) => (Object.hasOwn(shape, name) ? shape[name] : shape['*']);
  return Object.entries(value).every(([name, one]) => fits(one, ofMember(name)));
}

const word = (value: Json) => typeof value === 'string';
/** Placeholders are not known in some places. */
const fixed = (value: Json) => word(value) && !String(value).includes('{');
const number = (value: Json) => typeof value === 'number';
const flag = (value: Json) => typeof value === 'boolean';
const scalar = (value: Json) => word(value) || number(value) || flag(value);
const isDistinct = (all: Json[]) =>
  new Set(all.map((one) => String(one).toLowerCase())).size === all.length;
/** Caddy refuses some lists that name something twice. */
const words = (value: Json) => fits(value, [word]) && isDistinct(list(value));
/** Newer releases convert other names, which may fail. */
const host = (value: Json) => /^(?!.*xn--)[\w.*:[\]-]+$/i.test(String(value));
const listener = (value: Json) => /^[\w.:[\]]*:\d+$/.test(String(value));
const hosts = (value: Json) => words(value) && fits(value, [host]);
const oneOf = (...known: Json[]) => known.includes.bind(known);

const values = { '*': [word] } satisfies Shape;
const ops = { set: values, add: values, delete: words, deferred: flag };
const headers = { request: ops, response: ops };
const matcher = { host: hosts, path: words, method: words, header: values };
const routes = (value: Json): boolean => fits(value, [route]);
const route: Shape = {
  match: [{ ...matcher, not: [matcher] }],
  handle: [(value) => isObject(value) && fits(value, HANDLERS.get(value.handler ?? null))],
  ...{ group: word, terminal: flag },
};

const HANDLERS = new Map<Json, Shape>([
  ['vars', { '*': scalar }],
  ['subroute', { handler: word, routes }],
  ['headers', { handler: word, ...headers }],
  ['error', { handler: word, error: word, status_code: scalar }],
  [
    'static_response',
    { handler: word, body: word, headers: values, status_code: scalar, close: flag, abort: flag },
  ],
  ['rewrite', { handler: word, method: word, uri: word, strip_path_prefix: word }],
  ['file_server', { handler: word, hide: words, index_names: words, browse: {} }],
  ['encode', { handler: word, encodings: { gzip: {}, zstd: {} }, prefer: words }],
  [
    'reverse_proxy',
    {
      ...{ handler: word, upstreams: [{ dial: word }], headers },
      transport: { protocol: oneOf('http'), tls: { insecure_skip_verify: flag } },
      rewrite: { method: word, uri: word },
      handle_response: [{ match: { status_code: [number] }, routes }],
    },
  ],
]);

const server: Shape = {
  ...{ listen: [listener], routes, errors: { routes } },
  logs: { logger_names: { '*': scalar }, skip_hosts: words },
};
const challenge = { alternate_port: number };
const issuer = {
  module: oneOf('acme', 'zerossl', 'internal'),
  ...{ email: fixed, ca: fixed, challenges: { http: challenge, 'tls-alpn': challenge } },
};
/** Caddy refuses two for one host. */
const policies = (value: Json) =>
  fits(value, [{ subjects: hosts, issuers: [issuer] }]) &&
  isDistinct(list(value).flatMap((one) => list(field(one, 'subjects'))));

export const isPlain = (config: Json): boolean =>
  fits(config, {
    apps: {
      http: { http_port: number, https_port: number, servers: { '*': server } },
      tls: { automation: { policies } },
      pki: { certificate_authorities: { local: { install_trust: flag } } },
    },
  });
