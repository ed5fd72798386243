/** Pages of HTML from Markdown and from the description of the API. Pure. */
import { FAILURES } from '../../shared/failure.ts';
import type { JsonObject } from '../../shared/json.ts';
import { referenceOf } from './reference.ts';

type File = { type: 'html' | 'css' | 'js'; body: string };
/** By what follows `/docs/`; the index is the empty name. */
export type Rendered = ReadonlyMap<string, File>;

type Docs = {
  /** Markdown: groups of pages, with a line about each. */
  INDEX: string;
  /** Markdown by the names of the pages. */
  TEXTS: Readonly<Record<string, string>>;
  STYLE: string;
  SCRIPT: string;
  /** The OpenAPI document. */
  document: JsonObject;
};

/** What the search knows of a page or a heading of it. */
type Entry = { to: string; page: string; title: string; text: string };

/** The page that describes every operation; there is no file of it. */
const REFERENCE = 'reference';

export function renderDocs({ INDEX, TEXTS, STYLE, SCRIPT, document }: Docs): Rendered {
  const sources = Object.entries(TEXTS).map(([name, text]) => [name, htmlOf(text)] as const);
  const bodies = new Map([...sources, [REFERENCE, referenceOf(document, FAILURES)] as const]);
  const groups = groupsIn(INDEX);
  const nav = navOf(groups, titlesOf(bodies));
  const entries = [...bodies].flatMap(([name, html]) => entriesOf(name, html));
  const page = (name: string, html: string): [string, File] => [
    name,
    { type: 'html', body: pageOf(name, html, nav) },
  ];
  return new Map([
    page('', htmlOf(INDEX)),
    ...[...bodies].map(([name, html]) => page(name, html)),
    ['docs.css', { type: 'css', body: STYLE }],
    ['search.js', { type: 'js', body: SCRIPT }],
    ['entries.js', { type: 'js', body: `globalThis.ENTRIES = ${JSON.stringify(entries)};\n` }],
  ]);
}

/** The names of the pages in each group of the index. */
function groupsIn(index: string): { title: string; names: string[] }[] {
  const [, ...groups] = index.split(/^## /m);
  return groups.map((group) => ({
    title: group.slice(0, group.indexOf('\n')),
    names: [...group.matchAll(/^- \[[^\]]*\]\(([\w-]+)\.md\)/gm)].map(([, name = '']) => name),
  }));
}

const OPTIONS = { autolinks: true, headings: { ids: true } } as const;

/**
 * Links go to pages of `/docs`, and are plain text if they lead to a file of the repository. Blocks that scroll can be
 * reached by keyboard.
 */
const htmlOf = (markdown: string): string =>
  Bun.markdown
    .html(markdown, OPTIONS)
    .replace(/href="(?:\.\/)?([\w-]+)\.md(#[^"]*)?"/g, (_, name: string, at = '') =>
      name === 'README' ? `href="/docs${at}"` : `href="/docs/${name}${at}"`,
    )
    .replace(/href="\.\.\/README\.md(?:#[^"]*)?"/g, 'href="/docs"')
    .replace(/<a href="(?![a-z]+:|\/docs|#)[^"]*">([\s\S]*?)<\/a>/g, '$1')
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replace(
      /<table>[\s\S]*?<\/table>/g,
      (table) => `<div class="wide" tabindex="0">${table}</div>`,
    );

const HEADING = /<h([1-3]) id="([^"]*)">([\s\S]*?)<\/h\1>/g;
const plain = (html: string): string =>
  html.replace(/<[^>]*>/g, '').replace(ENTITY, (one) => ENTITIES[one] ?? one);

const ENTITIES: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
  '&#39;': "'",
};
const ENTITY = new RegExp(Object.keys(ENTITIES).join('|'), 'g');

const titlesOf = (bodies: ReadonlyMap<string, string>): Map<string, string> =>
  new Map([...bodies].map(([name, html]) => [name, titleIn(html)]));

const titleIn = (html: string): string => /<h1[^>]*>([\s\S]*?)<\/h1>/.exec(html)?.[1] ?? '';

/** Its headings, each with what follows. */
function entriesOf(name: string, html: string): Entry[] {
  const page = plain(titleIn(html));
  const headings = [...html.matchAll(HEADING)];
  return headings.map(([whole, level, id, title = ''], at) => {
    const { index: end = html.length } = headings[at + 1] ?? {};
    const start = (headings[at]?.index ?? 0) + whole.length;
    // Of the reference, tables and examples would be found for anything.
    const behind = html
      .slice(start, end)
      .replace(/<\/(?:t[dh]|p|li|pre)>/g, ' ')
      .replace(name === REFERENCE ? BULK : /(?!)/g, '');
    const to = `/docs/${name}${level === '1' && at === 0 ? '' : `#${id}`}`;
    return { to, page, title: plain(title), text: plain(behind).replace(/\s+/g, ' ').trim() };
  });
}

const BULK = /<table>[\s\S]*?<\/table>/g;

function navOf(groups: ReturnType<typeof groupsIn>, titles: ReadonlyMap<string, string>): string {
  const item = (name: string) => `<li><a href="/docs/${name}">${titles.get(name) ?? name}</a></li>`;
  const group = ({ title, names }: (typeof groups)[number]) =>
    `<h2>${title}</h2><ul>${names.map(item).join('')}</ul>`;
  return groups
    .map((one) =>
      group(one.names.includes('api') ? { ...one, names: [...one.names, REFERENCE] } : one),
    )
    .join('');
}

function pageOf(name: string, html: string, nav: string): string {
  const here = `<a href="/docs/${name}">`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${titleIn(html).replace(/<[^>]*>/g, '')} – signalbox</title>
<link rel="stylesheet" href="/docs/docs.css">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header><a href="/docs">signalbox docs</a><div id="search"></div></header>
<nav aria-label="Pages">${nav.replace(here, `${here.slice(0, -1)} aria-current="page">`)}</nav>
<main id="main">
${html}
</main>
<script src="/docs/search.js" defer></script>
</body>
</html>
`;
}
