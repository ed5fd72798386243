/** What of a request, beyond method, host and path, decides how routes answer it. Pure. */
import { field, isObject, type Json } from '../../../../src/shared/json.ts';
import { ADDRESS } from './routes.ts';

export type Needs = {
  /** Whether the visitor's address matters. */
  address: boolean;
  /** The names of headers that matter, in lower case. */
  headers: ReadonlySet<string>;
};

/** Placeholders of headers and cookies, and CEL's functions for headers (Caddy docs, Conventions and Matchers). */
const PLACEHOLDER = /http\.request\.header\.([\w-]+)/gi;
const COOKIE = /http\.request\.cookie\.|\{cookie\./;
const CEL_HEADER = /header(?:_regexp)?\(([^)]*)\)/g;
const WORD = /['"`]([\w-]+)['"`]/g;

/** @param routes as adapted */
export function needsOf(routes: Json): Needs {
  const headers = new Set<string>();
  const kept: Json[] = [];
  const left: Json[] = [routes];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value === 'string') kept.push(value);
    else if (Array.isArray(value)) left.push(...value);
    else if (isObject(value)) {
      for (const [name, inner] of Object.entries(value)) {
        // What an upstream gets is compared only where a sign-in service adds it.
        if (name === 'headers' && field(value, 'handler') === 'reverse_proxy') continue;
        kept.push(name);
        if ((name === 'header' || name === 'header_regexp') && isObject(inner)) {
          for (const one of Object.keys(inner)) headers.add(one.toLowerCase());
        }
        if (name === 'http_basic') headers.add('authorization');
        if (name === 'protocol' && inner === 'grpc') headers.add('content-type');
        left.push(inner);
      }
    }
  }
  const text = kept.join('\n');
  for (const [, name = ''] of text.matchAll(PLACEHOLDER)) headers.add(name.toLowerCase());
  for (const [, words = ''] of text.matchAll(CEL_HEADER)) {
    for (const [, name = ''] of words.matchAll(WORD)) headers.add(name.toLowerCase());
  }
  if (COOKIE.test(text)) headers.add('cookie');
  headers.delete('host');
  return { address: ADDRESS.test(text), headers };
}

/** The headers that sign-in services add, in lower case, as `copy_headers` names them. */
export function identityHeaders(config: Json): string[] {
  const found = JSON.stringify(config).matchAll(/\{http\.reverse_proxy\.header\.([\w-]+)\}/gi);
  return [...new Set([...found].map(([, name = '']) => name.toLowerCase()))].toSorted();
}
