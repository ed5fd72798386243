/** A document of sites and policies: what its file may say, on the wire and for editors. */
import { getSchemaValidator, type Static, type TSchema, t } from 'elysia';
import { NewPolicy, NewVhost } from '../../hub/model/operation.ts';
import { isNamed } from '../../hub/model/vhost.ts';
import { RECIPES } from '../../hub/recipes/registry.ts';
import { Failure } from '../../shared/failure.ts';
import { isObject } from '../../shared/json.ts';
import { memoize } from '../../shared/memoize.ts';
import { Check } from '../../shared/wire/checks.ts';

const { domain: _, ...fields } = NewVhost;
const { title = '', description = '' } = Check;

/** A site under its domain. What is left out is as for a new one. */
export const AppliedSite = t.Object(
  {
    ...fields,
    config: t.Optional(
      t.String({ description: 'as for a vhost; if left out: `reverse_proxy {upstream}`' }),
    ),
    check: t.Optional(
      t.Union([
        t.Object(Check.properties, { title, description, additionalProperties: false }),
        t.Null(),
      ]),
    ),
  },
  { additionalProperties: false },
);
export type AppliedSite = Static<typeof AppliedSite>;

/** A policy under its name. */
export const AppliedPolicy = t.Object(
  {
    recipe: NewPolicy.recipe,
    values: t.Optional(NewPolicy.values),
    everywhere: NewPolicy.everywhere,
  },
  { additionalProperties: false },
);
export type AppliedPolicy = Static<typeof AppliedPolicy>;

/** What is applied when a site has no config. */
export const PLAIN_CONFIG = 'reverse_proxy {upstream}';

const validatorOf = memoize((schema: TSchema) => getSchemaValidator(schema));

/** As an error names a field of it: `sites["a.example"].upstream`. */
export const fieldOf = (kind: 'sites' | 'policies', name: string, ...path: string[]): string =>
  `${kind}[${JSON.stringify(name)}]${path.map((one) => `.${one}`).join('')}`;

/** The site of a document that a failure to apply it is about; undefined if there is none. */
export function siteAtFault({ at }: Failure, sites: Named<unknown>): string | undefined {
  const { field, vhost = at.own } = at;
  const isAtFault = (name: string) =>
    field === undefined
      ? vhost !== undefined && isNamed(name, vhost)
      : `${field}.`.startsWith(`${fieldOf('sites', name)}.`);
  return sites.find(([name]) => isAtFault(name))?.[0];
}

/** Things by their names, whether they came as an object or as a list. */
export type Named<T> = readonly (readonly [name: string, thing: T])[];

/** @throws Failure INVALID_REQUEST with the field, also for fields that a site does not have */
export const sitesIn = (given: unknown = {}): Named<AppliedSite> =>
  namedIn('sites', given, 'domain', AppliedSite) as Named<AppliedSite>;

/** @throws as `sitesIn` */
export const policiesIn = (given: unknown = {}): Named<AppliedPolicy> =>
  namedIn('policies', given, 'name', AppliedPolicy) as Named<AppliedPolicy>;

function namedIn(
  kind: 'sites' | 'policies',
  given: unknown,
  key: string,
  schema: TSchema,
): Named<unknown> {
  const listed = (one: unknown, at: number) => {
    const { [key]: name, ...thing } = isObject(one) ? one : {};
    if (typeof name === 'string') return [name, thing] as const;
    throw invalid(`${kind}.${at}.${key}`, 'Expected string');
  };
  // Not null, either: with `prune`, an empty field would delete everything.
  if (!Array.isArray(given) && !isObject(given)) throw invalid(kind, 'Expected object');
  const named = Array.isArray(given) ? given.map(listed) : Object.entries(given);
  const seen = new Set<string>();
  for (const [name, thing] of named) {
    if (seen.has(name)) throw invalid(fieldOf(kind, name), 'It occurs twice');
    seen.add(name);
    for (const error of validatorOf(schema).Errors(thing)) {
      const { path, message } = innermost(error);
      throw invalid(fieldOf(kind, name, ...path.split('/').slice(1)), message);
    }
    const broken = notUnicode(thing);
    if (broken) throw invalid(fieldOf(kind, name, ...broken), 'It is not valid Unicode');
  }
  return named;
}

type SchemaError = { path: string; message: string; errors?: Iterable<SchemaError>[] };

/** Of something that may also be null, what is wrong in it. */
function innermost(error: SchemaError): SchemaError {
  const [first] = error.errors?.[0] ?? [];
  return first && first.path !== error.path ? innermost(first) : error;
}

/** The place of a text that would be another one once it is stored; null if there is none. */
function notUnicode(value: unknown): string[] | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : [];
  for (const [key, one] of Object.entries(value ?? {})) {
    const found = notUnicode(one);
    if (found) return [key, ...found];
  }
  return null;
}

const invalid = (field: string, words: string) =>
  new Failure('INVALID_REQUEST', `The field "${field}" is invalid: ${words}.`, { at: { field } });

/** The JSON Schema of a file: with the values of each recipe, so that editors can complete it. */
export const applySchema = (): object => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Sites and policies of signalbox',
  type: 'object',
  additionalProperties: false,
  properties: {
    policies: {
      type: 'object',
      description: 'by name: 1 to 40 lower-case letters, digits and hyphens',
      additionalProperties: {
        anyOf: RECIPES.filter(({ kind }) => kind === 'policy').map(policySchema),
      },
    },
    sites: { type: 'object', description: 'by domain', additionalProperties: AppliedSite },
  },
});

const policySchema = ({ id, title, description, fields }: (typeof RECIPES)[number]): TSchema => {
  const { values: _, ...properties } = AppliedPolicy.properties;
  const isNeeded = ((fields.required as string[] | undefined) ?? []).length > 0;
  return t.Object(
    {
      ...properties,
      recipe: t.Literal(id, { title, description }),
      values: isNeeded ? fields : t.Optional(fields),
    },
    { title, additionalProperties: false },
  );
};
