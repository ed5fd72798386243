/** The answers of one operation: descriptions, examples, headers and codes. Pure. */

import type { About } from '../../hub/http/about.ts';
import { FAILURES, type FailureCode } from '../../shared/failure.ts';
import { isObject, type Json, type JsonObject } from '../../shared/json.ts';
import { type Components, hoist, plain } from './json.ts';

const HEADERS = {
  ETag: {
    description: 'Identifies this state; for If-Match or If-None-Match.',
    schema: { type: 'string' },
  },
  'Set-Cookie': { description: 'Sets or clears the session cookie.', schema: { type: 'string' } },
  'Retry-After': {
    description: 'Seconds until another attempt may succeed.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
};

const ERROR = '#/components/schemas/Error';

/** @param answers as the plugin makes them @param route its `detail` */
export function dressAnswers(
  answers: JsonObject,
  route: About,
  components: Components,
): JsonObject {
  const dressed = Object.entries(answers).map(([status, answer]) => [
    status,
    Number(status) < 400
      ? success(schemaOf(answer), status, route, components)
      : refusal(schemaOf(answer), status, components),
  ]);
  const isConditional = route.requestHeaders?.includes('If-None-Match');
  return {
    ...Object.fromEntries(dressed),
    ...(isConditional && {
      304: { description: 'As named by `If-None-Match`.', ...headersOf(route) },
    }),
  };
}

const headersOf = ({ responseHeaders }: About) =>
  responseHeaders && {
    headers: Object.fromEntries(responseHeaders.map((name) => [name, HEADERS[name]])),
  };

/** The schema of the one media type the plugin names. */
function schemaOf(answer: Json | undefined): Json {
  const content = isObject(answer) && isObject(answer.content) ? answer.content : {};
  const [media] = Object.values(content);
  return plain((isObject(media) && media.schema) || {});
}

function success(schema: Json, status: string, route: About, components: Components): JsonObject {
  const type = route.mediaType ?? (isObject(schema) && schema.type === 'string' ? TEXT : JSON_TYPE);
  const hoisted = hoist(schema, components);
  return {
    description: status === '201' ? 'Created.' : 'Success.',
    ...headersOf(route),
    content: {
      [type]: {
        schema: route.nullable ? { anyOf: [hoisted, { type: 'null' }] } : hoisted,
        ...(route.example === undefined ? {} : { example: route.example as Json }),
      },
      ...Object.fromEntries(
        Object.entries(route.texts ?? {}).map(([text, example]) => [
          text,
          { schema: { type: 'string' }, example },
        ]),
      ),
    },
  };
}

const TEXT = 'text/plain';
const JSON_TYPE = 'application/json';

function refusal(schema: Json, status: string, components: Components): JsonObject {
  const codes = codesOf(schema);
  const code: JsonObject = { type: 'string', enum: codes };
  if (isObject(schema)) hoist(general(schema), components);
  return {
    description: codes.map((one) => `\`${one}\`: ${FAILURES[one].meaning}`).join('\n\n'),
    ...(status === '429' ? { headers: { 'Retry-After': HEADERS['Retry-After'] } } : {}),
    content: {
      [JSON_TYPE]: {
        schema: {
          allOf: [{ $ref: ERROR }, { type: 'object', required: ['code'], properties: { code } }],
        },
        examples: Object.fromEntries(
          codes.map((one) => [
            one,
            { value: { code: one, message: FAILURES[one].meaning, ...MORE[one] } },
          ]),
        ),
      },
    },
  };
}

/** What the proxy, or a check, adds to a refusal. */
const MORE: { readonly [Code in FailureCode]?: JsonObject } = {
  PROXY_REJECTED: { detail: 'line 2: unrecognized directive: reverse_prox', line: 2 },
  CHECK_FAILED: { detail: 'GET / answered 502 instead of a status from 200 to 299' },
};

/** @throws Error if a refusal names no codes: it was not made by `refusals` */
function codesOf(schema: Json): FailureCode[] {
  const code = isObject(schema) && isObject(schema.properties) ? schema.properties.code : null;
  const named = isObject(code) ? (Array.isArray(code.enum) ? code.enum : [code.const]) : [];
  const known = named.filter((one): one is FailureCode => String(one) in FAILURES);
  if (known.length === 0) throw new Error('a refusal names no codes');
  return known;
}

/** The one schema of all refusals, whatever their codes. */
function general(schema: JsonObject): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  return { ...schema, properties: { ...properties, code: { type: 'string' } } };
}
