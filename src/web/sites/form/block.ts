/** A site is stored with its names if it has several: as a whole block, of which the form shows names and body. Pure. */
/** How a block was written. */
export type Frame = {
  /** Up to its first line, with the comments above it. */
  head: string;
  /** All that are in the head, the domain first. */
  names: readonly string[];
  /** Before each line of the body. */
  indent: string;
};

type Site = { domain: string; config: string };
/** The names are those after the domain; the frame is null if the config is only a body. */
type Form = Site & { names: readonly string[]; frame: Frame | null };

/** Comments and empty lines. */
const ABOVE = /^(?:[ \t]*(?:#.*)?\n)*/;
/** What a list of addresses has if only a person should change it. */
const UNUSUAL = /["'`#\\\r]|\{(?!\$)|,\S/;

/** @returns null if the config is a body, or a block that was written in an unusual way */
export function openedBlock({ domain, config }: Site): Omit<Form, 'domain'> | null {
  const [above = ''] = ABOVE.exec(config) ?? [];
  const rest = config.slice(above.length);
  const brace = /[ \t]\{[ \t]*\n/.exec(rest);
  const list = rest.slice(0, brace?.index ?? 0);
  const names = list
    .trim()
    .replace(/,(?=\s|$)/g, '')
    .split(/\s+/);
  // Without any of these, it may be a directive.
  const isList = /[.:,]|^localhost\s*$/.test(list);
  const isOneList = list
    .trimEnd()
    .split('\n')
    .slice(0, -1)
    .every((line) => /,\s*$/.test(line));
  if (!brace || !isList || UNUSUAL.test(list) || !isOneList || names[0] !== domain) return null;
  const inside = rest
    .slice(brace.index + brace[0].length)
    .trimEnd()
    .split('\n');
  if (inside.pop() !== '}' || inside.join('').trim() === '') return null;
  const indent = isIndivisible(inside.join('\n')) ? '' : commonIndent(inside);
  return {
    names: names.slice(1),
    config: inside.map((line) => line.slice(indent.length)).join('\n'),
    frame: { head: config.slice(0, above.length + brace.index + brace[0].length), names, indent },
  };
}

/** The same of a config alone: the domain is its first word. */
export const blockIn = (config: string): Omit<Form, 'domain'> | null =>
  openedBlock({ domain: /^[^\s,]*/.exec(config.replace(ABOVE, ''))?.[0] ?? '', config });

/** The config as it is stored. */
export function closedBlock(form: Form): string {
  const head = headOf(form);
  if (head === null) return form.config;
  const indent = isIndivisible(form.config) ? '' : (form.frame?.indent ?? '\t');
  return `${head}${form.config.trimEnd().replace(/^(?=.*\S)/gm, indent)}\n}`;
}

/** How many lines of what is stored come before the config that the form shows. */
export const linesAbove = (form: Form): number => (headOf(form)?.split('\n').length ?? 1) - 1;

/** Null if it is stored without a block. */
function headOf({ domain, names, frame }: Form): string | null {
  const all = [domain.trim(), ...names];
  if (names.length === 0 && !(frame && isOnlyBlock(frame, domain))) return null;
  if (frame?.names.join() === all.join()) return frame.head;
  const [above = ''] = ABOVE.exec(frame?.head ?? '') ?? [];
  return `${above}${all.join(', ')} {\n`;
}

/** The line, from 0, that opens the site's block, if the form shows a whole one; else -1. */
export function headLine({ domain, config }: Site): number {
  const lines = config.split('\n');
  const at = lines.findIndex((line) => line.trim() !== '' && !line.trim().startsWith('#'));
  const line = lines[at]?.trim() ?? '';
  const first = withoutScheme(line.split(/[\s,]/)[0] ?? '');
  return line.endsWith('{') && first === withoutScheme(domain.trim()) ? at : -1;
}

export const withoutScheme = (name: string): string => name.replace(/^https?:\/\//i, '');

/** Whether a site with one name needs its block: it had it before, or only a block can have that name. */
const isOnlyBlock = ({ head, names }: Frame, domain: string): boolean =>
  names.length === 1 || /#/.test(head) || !/^(?:https?:\/\/)?[^/{}:][^/{}]*$/i.test(domain.trim());

/** Whether a word may go on in the next line, so that no line may be indented. */
const isIndivisible = (text: string): boolean =>
  /`|<</.test(text) ||
  text.split('\n').some((line) => line.replace(/\\"/g, '').split('"').length % 2 === 0);

/** What all lines that are not empty begin with. */
function commonIndent(lines: readonly string[]): string {
  const full = lines.filter((line) => line.trim() !== '');
  const indent = /^[ \t]*/.exec(full[0] ?? '')?.[0] ?? '';
  return full.every((line) => line.startsWith(indent)) ? indent : '';
}
