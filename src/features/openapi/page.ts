/** The document as an HTML page, without scripts and without anything from other origins. Pure. */
import { isObject, type Json, type JsonObject, object } from '../../shared/json.ts';
import { type LocatedOperation, operationsOf } from './accessors.ts';
import { type Html, html } from './html.ts';
import { operationHtml, prose } from './page-operation.ts';
import { fields, typeOf } from './page-schemas.ts';

const hasTag =
  (tag: string) =>
  ({ operation }: LocatedOperation) =>
    Array.isArray(operation.tags) && operation.tags.includes(tag);

/** The whole page; all text of the document is escaped. */
export function renderPage(document: JsonObject): string {
  const info = object(document.info);
  const all = operationsOf(document);
  const tags = Array.isArray(document.tags) ? document.tags.filter(isObject) : [];
  const schemas = Object.entries(object(object(document.components).schemas));
  const sections = tags.map(({ name, description }) => ({
    name: String(name),
    description: String(description),
    operations: all.filter(hasTag(String(name))),
  }));
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${String(info.title)} API</title>
<link rel="stylesheet" href="docs/style.css">
</head>
<body>
<a class="skip" href="#main">Skip to the operations</a>
<header><h1>${String(info.title)} API <small>${String(info.version)}</small></h1>
<p>${String(info.summary)}</p>${prose(String(info.description))}
<p><a href="openapi.json">openapi.json</a> is the same description for programs (OpenAPI ${String(document.openapi)}). In the examples, <code>$HUB</code> is the hub’s address including <code>/api</code>, for example <code>http://127.0.0.1:3000/api</code>; <code>$TOKEN</code> is a token from a sign-in or from <code>POST /api/tokens</code>.</p></header>
<nav aria-label="Sections"><ul>${sections.map(
    ({ name }) => html`<li><a href="#tag-${name}">${name}</a></li>`,
  )}<li><a href="#types">Types</a></li></ul></nav>
<main id="main">
${sections.map(sectionHtml)}
<section><h2 id="types">Types</h2>${schemas.map(typeHtml)}</section>
</main>
</body>
</html>
`.html;
}

const sectionHtml = (section: {
  name: string;
  description: string;
  operations: LocatedOperation[];
}): Html =>
  html`<section><h2 id="tag-${section.name}">${section.name}</h2><p>${section.description}</p>${section.operations.map(operationHtml)}</section>
`;

const typeHtml = ([name, schema]: [string, Json]): Html =>
  html`<details id="type-${name}"><summary><h3><code>${name}</code></h3></summary>${
    isObject(schema) && schema.anyOf ? html`<p>${typeOf(schema)}</p>` : fields(schema)
  }</details>
`;
