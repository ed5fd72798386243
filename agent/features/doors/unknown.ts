/** What of a site's routes nobody can tell for certain whom it lets in. Pure. */
import {
  eachIn,
  field,
  type Json,
  type JsonObject,
  list,
  object,
} from '../../../src/shared/json.ts';
import { isSignIn } from '../replay/config/routes.ts';
import { extrasOf, MOST_LURES, matchersIn } from './lures.ts';

/** What is known of a stranger: no certificate (certificates.ts), the host, and no error before. */
const KNOWN =
  /\{http\.(?:vars\.signalbox_no_\w+|request\.host|error\.\w+|reverse_proxy\.[\w.-]+)\}/g;
/** What else a condition in CEL may go by. */
const OTHERS = /\{|\b(?:path|header|query|method|protocol|file|vars|remote_ip|client_ip|host)\w*\(/;
/** What follows from the path that was asked for, or is the same for all. */
const PLAIN =
  /\{(?:http\.(?:request\.(?:orig_)?uri(?:\.path[\w.]*|\.prefixed_query)?|request\.(?:host|scheme)|matchers\.file\.\w+)|env\.\w+|system\.\w+)\}/g;
/** A class or an escape of a pattern, and an encoded letter. */
const PATTERN = /[[?\\%{]/;
/** Of the handler `rewrite`, if the path that was asked for is known after it. */
const REWRITES = ['uri', 'method', 'strip_path_prefix'];
/** A handler that matters only where a rule goes by a header. */
const SETS = 'request_header';
const RESPONSE = 'handle_response';
/** A file that was found by the path. */
const FOUND = /^\{http\.matchers\.file\.relative\}/;
/** Each alone and all at once are asked for: of three, two might be wanted. */
const MOST_EXTRAS = 2;

/** The names of such matchers and handlers. @param lures how many requests the routes name */
export function unknownIn(routes: readonly Json[], lures: number): string[] {
  const sets = matchersIn([...routes]);
  const handlers: JsonObject[] = [];
  eachIn([...routes], (value) => void handlers.push(object(value)));
  const goesByHeaders = sets.some(({ header }) => header !== undefined);
  const found = [
    ...sets.flatMap(unknownOf),
    ...handlers.flatMap(unknownHandler).filter((one) => one !== SETS || goesByHeaders),
  ];
  if (extrasOf(sets).length > MOST_EXTRAS) found.push('several headers or queries');
  if (lures > MOST_LURES) found.push('too many paths');
  return [...new Set(found)];
}

const unknownOf = (set: JsonObject): string[] =>
  Object.entries(set).flatMap(([name, value]) => (isKnown(name, value) ? [] : [name]));

/** Whether it is certain what a matcher wants. */
function isKnown(name: string, value: Json): boolean {
  const values = Object.values(object(value));
  const isOfKnown = (said: string) => said.replace(KNOWN, '') === '';
  switch (name) {
    case 'path':
      return !list(value).some((one) => PATTERN.test(String(one)));
    case 'header':
    case 'query':
      return !values.some((one) => JSON.stringify(one).includes('{'));
    case 'file':
      return !isFilledIn(value);
    case 'expression':
      return !OTHERS.test(String(field(value, 'expr') ?? value).replace(KNOWN, ''));
    case 'vars':
      return Object.keys(object(value)).every(isOfKnown) && !values.some(isFilledIn);
    case 'vars_regexp':
      return Object.keys(object(value)).every(isOfKnown);
    default:
      return name !== 'path_regexp' && name !== 'header_regexp';
  }
}

function unknownHandler({ handler: name, ...handler }: JsonObject): string[] {
  const { status_code: status = null, uri = '' } = handler;
  if (name === 'static_response') return isFilledIn(status) ? ['respond'] : [];
  if (name === 'headers') return isFilledIn(handler.request ?? null) ? [SETS] : [];
  // What an upstream answers is not known.
  if (name === 'reverse_proxy') {
    return list(handler.handle_response).length > 0 && !isSignIn(handler) ? [RESPONSE] : [];
  }
  if (name !== 'rewrite') return [];
  const isConstant = !String(uri).replace(FOUND, '').includes('{');
  const isPlain = Object.keys(handler).every((one) => REWRITES.includes(one));
  return isConstant && isPlain ? [] : [name];
}

/** Whether a value depends on what a visitor chooses. */
const isFilledIn = (value: Json): boolean =>
  /\{[a-z]/i.test(JSON.stringify(value).replace(PLAIN, '').replace(KNOWN, ''));
