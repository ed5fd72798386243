/** One operation as HTML. Pure. */
import { type Json, type JsonObject, object } from '../../shared/json.ts';
import { type LocatedOperation, list, mediaOf, text } from './accessors.ts';
import { type Html, html, NOTHING } from './html.ts';
import { fields, typeOf } from './page-schemas.ts';

const formatted = (value: Json): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2);

/** Paragraphs, with `code` in backticks. */
export const prose = (words: string): Html =>
  html`${words
    .split('\n\n')
    .filter((part) => part.trim() !== '')
    .map((part) => html`<p>${inline(part)}</p>`)}`;

const inline = (words: string): Html => html`${words.split('`').map(coded)}`;

const coded = (piece: string, at: number): Html =>
  at % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`;

const example = (value: Json, label: string): Html =>
  html`<figure><figcaption>${label}</figcaption><pre tabindex="0">${formatted(value)}</pre></figure>`;

/** Who may call the operation, in words. */
function access({ security }: JsonObject): string {
  const ways = list(security);
  const token = ways.find((way) => 'apiToken' in way)?.apiToken;
  if (ways.length === 0) return 'No authentication.';
  if (ways.some((way) => Object.keys(way).length === 0)) {
    return 'No authentication on the machine itself; from elsewhere, requires a bearer token.';
  }
  if (!token) return 'Requires a session; API tokens are not accepted.';
  return Array.isArray(token) && token.includes('write')
    ? 'Requires a session, or an API token with the scope write.'
    : 'Requires a session or any API token.';
}

/** A collapsible section with everything about the operation. */
export function operationHtml(located: LocatedOperation): Html {
  const { method, path, operation } = located;
  return html`<details id="${text(operation.operationId)}"><summary><h3><span class="method ${method}">${method.toUpperCase()}</span> <code class="path">${path}</code> <span class="what">${text(operation.summary)}</span></h3></summary>
${prose(text(operation.description))}<p>${access(operation)}</p>
${parameters(list(operation.parameters))}${body(object(operation.requestBody))}
<h4>Try it</h4><pre tabindex="0">${curlOf(located)}</pre>
<h4>Responses</h4>${Object.entries(object(operation.responses)).map(([status, one]) => answer(status, object(one)))}
</details>`;
}

function parameters(all: JsonObject[]): Html {
  if (all.length === 0) return NOTHING;
  return html`<h4>Parameters</h4><dl>${all.map(
    (one) =>
      html`<dt><code>${text(one.name)}</code> <span class="type">${text(one.in)}, ${typeOf(one.schema)}${
        one.required === true ? '' : ', optional'
      }</span></dt><dd>${inline(text(one.description))}${pattern(object(one.schema))}</dd>`,
  )}</dl>`;
}

const pattern = (schema: JsonObject): Html =>
  typeof schema.pattern === 'string'
    ? html` <code class="pattern">${schema.pattern}</code>`
    : NOTHING;

function body(requestBody: JsonObject): Html {
  const [type, media] = mediaOf(requestBody);
  if (type === '') return NOTHING;
  return html`<h4>Body</h4><p>${typeOf(media.schema)} as <code>${type}</code></p>${fields(media.schema)}${examples(media)}`;
}

const examples = (media: JsonObject): Html =>
  html`${Object.entries(object(media.examples)).map(([name, one]) =>
    example(object(one).value ?? null, text(object(one).summary) || name),
  )}`;

function answer(status: string, given: JsonObject): Html {
  const [type, media] = mediaOf(given);
  const headers = Object.keys(object(given.headers));
  const isRefusal = Number(status) >= 400;
  return html`<section class="answer"><h5>${status}</h5>${prose(text(given.description))}${
    isRefusal ? NOTHING : html`<p>${typeOf(media.schema)} as <code>${type}</code></p>`
  }${headers.length > 0 ? html`<p>Headers: ${headers.join(', ')}</p>` : NOTHING}${
    isRefusal || media.example === undefined ? NOTHING : example(media.example, 'Example')
  }</section>`;
}

const quoted = (words: string): string => `'${words.replaceAll("'", "'\\''")}'`;

/** What `$HUB` ends with. */
const BASE = '/api';

/** As a command: `$HUB` is the API's base URL, `$TOKEN` the caller's token; the body is the first example. */
export function curlOf({ method, path, operation }: LocatedOperation): string {
  const filled = list(operation.parameters).reduce(
    (url, one) => url.replace(`{${text(one.name)}}`, String(one.example ?? '')),
    path.startsWith(`${BASE}/`) ? `$HUB${path.slice(BASE.length)}` : `\${HUB%${BASE}}${path}`,
  );
  const [, body] = mediaOf(object(operation.requestBody));
  const [first] = Object.values(object(body.examples));
  const [type] = mediaOf(object(object(operation.responses)['200']));
  return [
    'curl',
    // Without it, curl buffers events.
    ...(type === 'text/event-stream' ? ['-N'] : []),
    ...(method === (first === undefined ? 'get' : 'post') ? [] : [`-X ${method.toUpperCase()}`]),
    ...(list(operation.security).length > 0 ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    `"${filled}"`,
    ...(first === undefined ? [] : [`-d ${quoted(JSON.stringify(object(first).value))}`]),
  ].join(' ');
}
