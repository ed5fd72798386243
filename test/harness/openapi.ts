/** Checks real answers against an OpenAPI document, with Ajv. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Media = { schema: object; example?: unknown; examples?: Record<string, { value: unknown }> };
type Answer = {
  description: string;
  headers?: Record<string, { required?: boolean }>;
  /** None for an answer without a body. */
  content?: Record<string, Media>;
};
type Operation = {
  operationId: string;
  summary: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters?: { name: string; in: string; schema: object; example?: unknown }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Answer>;
};
export type Document = {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
  tags: { name: string }[];
};

type Placed = { method: string; path: string; operation: Operation };

export const operationsOf = (document: Document): Placed[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The schema, but with fields that it does not describe forbidden. */
function closed(value: unknown, isPart = false): unknown {
  if (Array.isArray(value)) return value.map((one) => closed(one, isPart));
  if (!isObject(value)) return value;
  const inner = Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, closed(one, key === 'allOf')]),
  );
  if (Array.isArray(inner.allOf)) return { ...inner, unevaluatedProperties: false };
  const isOpen = isPart || !isObject(inner.properties) || 'additionalProperties' in inner;
  return isOpen ? inner : { ...inner, additionalProperties: false };
}

const pointer = (...keys: string[]) =>
  keys.map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');

/** The answer to a request. */
type Given = { status: number; headers: Headers; text: string };

export function createChecker(document: Document) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(closed(document) as object, 'document');

  const compiled = new Map<string, ReturnType<typeof ajv.compile>>();
  const compile = (where: string) => {
    const validate = compiled.get(where) ?? ajv.compile({ $ref: `document#/${encodeURI(where)}` });
    compiled.set(where, validate);
    return validate;
  };
  const faults = (where: string, value: unknown): string[] => {
    const validate = compile(where);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };

  return {
    /** What is wrong with an answer; empty if it is as described. */
    answer({ method, path, operation }: Placed, given: Given): string[] {
      const status = String(given.status);
      const described = operation.responses[status];
      if (!described) return [`status ${status} is not described: ${given.text.slice(0, 200)}`];
      if (!described.content) return given.text === '' ? [] : ['there is a body'];
      const type = (given.headers.get('content-type') ?? '').split(';')[0]?.trim() ?? '';
      if (!described.content[type]) return [`${type} is not described for ${status}`];
      const missing = Object.entries(described.headers ?? {})
        .filter(([name, { required }]) => required && !given.headers.has(name))
        .map(([name]) => `no ${name}`);
      const place = pointer('paths', path, method, 'responses', status, 'content', type, 'schema');
      const value: unknown = type === 'application/json' ? JSON.parse(given.text) : given.text;
      return [...missing, ...faults(place, value)];
    },

    /** What is wrong with the examples of an operation. */
    examples({ method, path, operation }: Placed): string[] {
      const check = (media: Media, ...keys: string[]) => {
        const place = pointer('paths', path, method, ...keys, 'schema');
        const all = [
          ...Object.values(media.examples ?? {}).map(({ value }) => value),
          ...('example' in media ? [media.example] : []),
        ];
        if (all.length === 0) return [`${keys.join(' ')}: no example`];
        return all.flatMap((value) => faults(place, value));
      };
      const bodies = Object.entries(operation.requestBody?.content ?? {}).flatMap(([type, media]) =>
        check(media, 'requestBody', 'content', type),
      );
      const answers = Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
        Object.entries(content).flatMap(([type, media]) =>
          check(media, 'responses', status, 'content', type),
        ),
      );
      const parameters = (operation.parameters ?? []).flatMap(({ example }, index) =>
        example === undefined
          ? []
          : faults(pointer('paths', path, method, 'parameters', String(index), 'schema'), example),
      );
      return [...bodies, ...answers, ...parameters];
    },
  };
}
