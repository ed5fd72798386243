/** Schemas as HTML for people. Pure. */
import { isObject, type Json, type JsonObject } from '../../shared/json.ts';
import { type Html, html, NOTHING } from './html.ts';

const REF = '#/components/schemas/';

/** The type that a reference names; null if the schema is not a reference. */
const nameOf = (schema: JsonObject): string | null =>
  typeof schema.$ref === 'string' ? schema.$ref.slice(REF.length) : null;

/** `string or null`, `list of Vhost`, `"ok"`; names link to the description of the type. */
export function typeOf(schema: Json | undefined): Html {
  if (!isObject(schema)) return html`anything`;
  const name = nameOf(schema);
  if (name) return html`<a href="#type-${name}">${name}</a>`;
  if (schema.const !== undefined) return html`${JSON.stringify(schema.const)}`;
  if (Array.isArray(schema.enum))
    return choice(schema.enum.map((one) => html`${JSON.stringify(one)}`));
  if (Array.isArray(schema.anyOf)) return choice(schema.anyOf.map(typeOf));
  if (Array.isArray(schema.type)) {
    return choice(schema.type.map((type) => typeOf({ ...schema, type })));
  }
  if (schema.type === 'array') return html`list of ${typeOf(schema.items)}`;
  return html`${String(schema.type ?? 'anything')}`;
}

const choice = (types: Html[]): Html =>
  types.reduce((all, one) => (all === NOTHING ? one : html`${all} or ${one}`), NOTHING);

/** The fields of an object, including nested objects. */
export function fields(schema: Json | undefined): Html {
  if (!isObject(schema)) return NOTHING;
  const branches = Array.isArray(schema.anyOf) ? schema.anyOf.filter(isObject) : [];
  if (branches.some(({ properties }) => properties)) return html`${branches.map(fields)}`;
  if (schema.type === 'array') return fields(schema.items);
  if (!isObject(schema.properties)) return NOTHING;
  const required = Array.isArray(schema.required) ? schema.required : [];
  return html`<dl>${Object.entries(schema.properties).map(([name, one]) =>
    field(name, one, required.includes(name)),
  )}</dl>`;
}

function field(name: string, schema: Json | undefined, isRequired: boolean): Html {
  const description =
    isObject(schema) && typeof schema.description === 'string' ? schema.description : '';
  return html`<dt><code>${name}</code> <span class="type">${typeOf(schema)}${
    isRequired ? '' : ', optional'
  }</span></dt><dd>${description}${fields(schema)}</dd>`;
}
