/** The OpenAPI document, made of the routes' own schemas by `@elysiajs/openapi`. */
// The generator alone: the plugin around it brings a page that loads from a CDN.
import { toOpenAPISchema } from '@elysiajs/openapi/openapi';
import { type About, KEPT, TAGS } from '../http/about.ts';
import { dressAnswers } from './answers.ts';
import {
  type Components,
  hoist,
  isObject,
  type Json,
  type JsonObject,
  plain,
  toJson,
} from './json.ts';

const OPENAPI_VERSION = '3.1.0';

/** A route as Elysia keeps it. */
export type RegisteredRoute = { method: string; path: string; hooks: Record<string, unknown> };

const INFO = {
  title: 'signalbox',
  summary: 'A reverse-proxy manager: an API and a changelog in front of Caddy.',
  description: [
    'A change is either live and recorded, or it never happened: nothing is stored before the proxy',
    'has accepted it, and a refusal leaves everything as it was.',
    '',
    'Timestamps are ISO 8601 UTC with milliseconds. Unknown fields of a body are passed over. An',
    'error is `{"code", "message"}`, with `detail` and `line` where the proxy had something to say.',
  ].join('\n'),
  license: { name: 'MIT', identifier: 'MIT' },
};

const SECURITY_SCHEMES = {
  session: {
    type: 'http',
    scheme: 'bearer',
    description: 'The `token` of sign-up or sign-in, in `Authorization`.',
  },
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'signalbox_session',
    description: 'The same as a cookie; over HTTPS it is called `__Host-signalbox_session`.',
  },
  apiToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'sbx_…',
    description:
      'A permanent token of `POST /api/tokens`; with the scope `read` it changes nothing.',
  },
};

const REQUEST_HEADERS = {
  'If-Match': {
    description: 'The ETag of the state this is meant for; any other is refused with 412.',
    example: '"9f86d081884c7d659a2feaa0c55ad015"',
  },
  'Last-Event-ID': {
    description: 'The id of the last event that was seen: the stream goes on behind it.',
    example: '6b0c4b7d1f6a9e35-10240',
  },
};

/**
 * @param routes all of an app's; those with `detail.hide` are left out
 * @throws Error that names every route which does not say what it is or answers, or where two
 * schemas of one name differ
 */
export function buildDocument(routes: readonly RegisteredRoute[], version: string): JsonObject {
  const components: Components = new Map();
  const paths: Record<string, JsonObject> = {};
  const faults: string[] = [];
  for (const [path, operations] of Object.entries(generated(routes))) {
    const at = path.length > 1 ? path.replace(/\/$/, '') : path;
    paths[at] = { ...paths[at] };
    for (const [method, operation] of Object.entries(isObject(operations) ? operations : {})) {
      if (!isObject(operation)) continue;
      const { [KEPT]: told, ...rest } = operation;
      try {
        if (!isObject(told)) throw new Error('it has no detail: about(…)');
        if (!isObject(rest.responses)) throw new Error('it has no response');
        paths[at][method] = dress(rest, told as unknown as About, components);
      } catch (error) {
        faults.push(
          `${method.toUpperCase()} ${at}: ${error instanceof Error ? error.message : ''}`,
        );
      }
    }
  }
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return {
    openapi: OPENAPI_VERSION,
    info: { ...INFO, version },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: Object.fromEntries([...components].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

/** The plugin's own words: our late reading of bodies would hide their schemas from it. */
function generated(routes: readonly RegisteredRoute[]): JsonObject {
  const app = {
    getGlobalRoutes: () =>
      routes.map((route) => ({ ...route, hooks: { ...route.hooks, parse: undefined } })),
  };
  const { paths } = toOpenAPISchema(
    app as unknown as Parameters<typeof toOpenAPISchema>[0],
    { staticFile: false },
    undefined,
    undefined,
    OPENAPI_VERSION,
  );
  const json = toJson(paths);
  return isObject(json) ? json : {};
}

function dress(operation: JsonObject, told: About, components: Components): JsonObject {
  const { parameters, requestBody, responses, ...rest } = operation;
  const all = [
    ...(Array.isArray(parameters) ? parameters : []).map((one) => parameter(one, told)),
    ...(told.headers ?? []).map((name) => ({
      name,
      in: 'header',
      required: false,
      schema: { type: 'string' },
      ...REQUEST_HEADERS[name],
    })),
  ];
  return {
    ...rest,
    ...(all.length > 0 && { parameters: all }),
    ...(isObject(requestBody) && { requestBody: body(requestBody, told, components) }),
    responses: dressAnswers(isObject(responses) ? responses : {}, told, components),
  };
}

function parameter(given: Json, told: About): Json {
  if (!isObject(given) || !isObject(given.schema)) return given;
  const { description, ...schema } = given.schema;
  const more = told.params?.[String(given.name)] ?? {};
  return {
    ...given,
    schema,
    ...(description === undefined ? {} : { description }),
    ...(toJson(more) as JsonObject),
  };
}

/** The plugin would have it that forms are read, too. */
function body(given: JsonObject, told: About, components: Components): JsonObject {
  const content = isObject(given.content) ? given.content : {};
  const json = content['application/json'];
  const schema = hoist(plain((isObject(json) && json.schema) || {}), components);
  return {
    required: true,
    content: {
      'application/json': { schema, ...(told.ask && { examples: toJson(told.ask) }) },
    },
  };
}
