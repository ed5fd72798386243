/** Sites and policies as the YAML of a file for `signalbox apply`. */
import { Document, isMap, isScalar, visit } from 'yaml';

/** By name. */
type Named = Readonly<Record<string, object>>;

/** What some readers take as the end of a line, or do not accept, although YAML 1.2 does. */
const UNUSUAL = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/;

/** `=` is a type of YAML 1.1. PyYAML has no tabs outside quotes and blocks, and no blocks without a word. */
const MISREAD = /^=$|^[^\n]*\t[^\n]*$|^\s*$/;

/**
 * Fields that are undefined are left out, and so are `policies` if there are none. A config of several lines is
 * a block that keeps each character. A text that any reader of YAML takes as something else is in quotes: `no`,
 * `08` or `12:30:45`.
 * @param comments above the whole, and above sites; without characters that nobody sees but ends of lines
 */
export function toYaml(
  { policies, sites }: { policies: Named; sites: Named },
  comments: { top?: string; sites?: ReadonlyMap<string, string> } = {},
): string {
  const whole = Object.keys(policies).length === 0 ? { sites } : { policies, sites };
  const document = new Document(whole, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  visit(document, (_, node) => {
    if (!isScalar<unknown>(node) || typeof node.value !== 'string') return;
    if (UNUSUAL.test(node.value) || MISREAD.test(node.value)) node.type = 'QUOTE_DOUBLE';
  });
  document.commentBefore = comments.top ? indented(comments.top) : null;
  const listed = document.get('sites');
  for (const { key } of isMap(listed) ? listed.items : []) {
    const comment = isScalar(key) ? comments.sites?.get(String(key.value)) : undefined;
    if (isScalar(key) && comment !== undefined) key.commentBefore = indented(comment);
  }
  const text = document.toString({
    lineWidth: 0,
    blockQuote: 'literal',
    // Within quotes, an end of a line is a `\\n`: yaml 2.9.1 doubles a backslash if it breaks the line there.
    doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY,
  });
  return text.replace(new RegExp(UNUSUAL, 'g'), escaped);
}

/** One space after each `#`. */
const indented = (comment: string): string => comment.replace(/^/gm, ' ');

const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
