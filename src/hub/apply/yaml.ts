/** Sites and policies as the YAML of a file for `signalbox apply`. */
import { Document, isScalar, visit } from 'yaml';

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
 */
export function toYaml({ policies, sites }: { policies: Named; sites: Named }): string {
  const whole = Object.keys(policies).length === 0 ? { sites } : { policies, sites };
  const document = new Document(whole, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  visit(document, (_, node) => {
    if (!isScalar<unknown>(node) || typeof node.value !== 'string') return;
    if (UNUSUAL.test(node.value) || MISREAD.test(node.value)) node.type = 'QUOTE_DOUBLE';
  });
  const text = document.toString({
    ...{ lineWidth: 0, blockQuote: 'literal' },
    // Within quotes, an end of a line is a `\\n`: yaml 2.9.1 doubles a backslash if it breaks the line there.
    doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY,
  });
  return text.replace(new RegExp(UNUSUAL, 'g'), escaped);
}

const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
