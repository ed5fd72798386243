/** The reference of the API as HTML, from its OpenAPI document. Pure. */
import { isObject, type Json, type JsonObject } from '../../shared/json.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** By their codes. */
type Failures = Readonly<Record<string, Readonly<{ status: number; meaning: string }>>>;

type Operation = { method: string; path: string; of: JsonObject };

/** One heading a tag, below it one an operation, whose id it has; and a table of the error codes. */
export function referenceOf(document: JsonObject, failures: Failures): string {
  const operations = operationsIn(document);
  const codes = Object.entries(failures)
    .toSorted(([, one], [, other]) => one.status - other.status)
    .map(([name, { status, meaning }]) => [code(name), `${status}`, prose(meaning)]);
  const sections = list(document.tags).map((tag) => {
    const { name = '', description = '' } = texts(tag);
    const own = operations.filter(({ of }) => list(of.tags).includes(name));
    const id = `tag-${name.toLowerCase().replace(/\W+/g, '-')}`;
    const shown = own.map((one) => operationOf(one, document)).join('\n');
    return `<h2 id="${id}">${escaped(name)}</h2>\n${prose(description)}\n${shown}`;
  });
  return `<h1 id="reference">API reference</h1>
<p>Every operation of the API, made from <code>/api/openapi.json</code> of this version, and at the end every
<a href="#error-codes">error code</a>.</p>
${sections.join('\n')}
<h2 id="error-codes">Error codes</h2>
${table(['code', 'status', 'meaning'], codes)}`;
}

const operationsIn = ({ paths }: JsonObject): Operation[] =>
  Object.entries(isObject(paths) ? paths : {}).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const of = isObject(methods) ? methods[method] : undefined;
      return isObject(of) ? [{ method: method.toUpperCase(), path, of }] : [];
    }),
  );

function operationOf({ method, path, of }: Operation, document: JsonObject): string {
  const { operationId = '', summary = '', description = '' } = texts(of);
  const parameters = list(of.parameters).map((one) => {
    const { name = '', in: where = '', description = '' } = texts(one);
    return [code(name), where, prose(description)];
  });
  const [type, media] = mediaOf(of.requestBody);
  const fields = fieldsOf(isObject(media) ? media.schema : undefined, document);
  return `<h3 id="${operationId}"><code>${method} ${escaped(path)}</code></h3>
<p>${escaped(summary)}.</p>
${prose(description)}
${table(['parameter', 'in', ''], parameters)}
${fields.length > 0 ? `<p>Body, <code>${type}</code>:</p>` : ''}${table(['field', 'type', ''], fields)}
${table(['status', 'codes, or an example'], answersOf(of.responses))}`;
}

/** Of a body's object, one line a field. */
function fieldsOf(given: Json | undefined, document: JsonObject): string[][] {
  const schema = resolved(given, document);
  if (!schema || !isObject(schema.properties)) return [];
  const required = list(schema.required);
  return Object.entries(schema.properties).map(([name, field]) => {
    const of = resolved(field, document) ?? {};
    const { description = '' } = { ...texts(of), ...texts(field) };
    const needed = required.includes(name) ? ', required' : '';
    return [code(name), `${typeOf(of)}${needed}`, prose(description)];
  });
}

function typeOf(schema: JsonObject): string {
  const { type, anyOf, enum: values } = schema;
  const constants = list(anyOf).map((one) => (isObject(one) ? (one.const ?? one.type) : one));
  if (constants.length > 0)
    return constants.map((one) => code(String(one ?? 'object'))).join(' or ');
  if (Array.isArray(values)) return values.map((one) => code(String(one))).join(' or ');
  return code(String(schema.const ?? type ?? 'any'));
}

function resolved(given: Json | undefined, { components }: JsonObject): JsonObject | null {
  if (!isObject(given)) return null;
  const [, name = ''] = /^#\/components\/schemas\/(.+)$/.exec(String(given.$ref ?? '')) ?? [];
  const schemas = isObject(components) ? components.schemas : undefined;
  const found = isObject(schemas) ? schemas[name] : undefined;
  return isObject(found) ? found : given;
}

/** A line for each status: what it answers, or the codes of its refusals. */
const answersOf = (responses: Json | undefined): string[][] =>
  Object.entries(isObject(responses) ? responses : {}).map(([status, answer]) => {
    const [, media] = mediaOf(answer);
    const { examples, example } = isObject(media) ? media : {};
    const codes = Object.keys(isObject(examples) ? examples : {});
    const isRefusal = Number(status) >= 400;
    if (isRefusal) return [status, codes.map(code).join(' ')];
    const shown = example ?? (isObject(examples) ? Object.values(examples)[0] : undefined);
    const value = isObject(shown) && 'value' in shown ? shown.value : shown;
    return [
      status,
      value === undefined
        ? ''
        : `<pre tabindex="0">${escaped(JSON.stringify(value, null, 2))}</pre>`,
    ];
  });

/** The first media type of a body or an answer. */
function mediaOf(of: Json | undefined): readonly [string, Json | undefined] {
  const content = isObject(of) && isObject(of.content) ? of.content : {};
  const [first] = Object.entries(content);
  return first ?? ['', undefined];
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[], as: string) =>
    `<tr>${cells.map((cell) => `<${as}>${cell}</${as}>`).join('')}</tr>`;
  const body = rows.map((cells) => line(cells, 'td')).join('');
  return `<div class="wide" tabindex="0"><table><thead>${line(heads, 'th')}</thead><tbody>${body}</tbody></table></div>`;
}

const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
const escaped = (text: string): string => Bun.escapeHTML(text);
const code = (text: string): string => `<code>${escaped(text)}</code>`;
const prose = (markdown: string): string => (markdown === '' ? '' : Bun.markdown.html(markdown));

/** Its fields that are texts. */
const texts = (value: Json | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries(isObject(value) ? value : {}).flatMap(([name, one]) =>
      typeof one === 'string' ? [[name, one]] : [],
    ),
  );
