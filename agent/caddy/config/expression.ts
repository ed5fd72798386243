/**
 * What an `expression` matcher, in Google's CEL, could make Caddy read. Its function for placeholders takes any
 * text, its `file` looks for files, and its other matchers read placeholders in what they are given, even in what
 * a visitor sent. So only known functions may be called, and Caddy's matchers only with quoted texts. Pure.
 */

/** Caddy's matchers that look at the request alone. */
const MATCHERS = new Set(
  (
    'client_ip header header_regexp host method path path_regexp protocol query remote_ip ' +
    'url_pattern vars vars_regexp'
  ).split(' '),
);

/** The functions and macros of CEL and of its libraries for texts, lists, numbers and bindings. */
const FUNCTIONS = new Set(
  (
    'has all exists exists_one existsOne map filter transformList transformMap size contains startsWith endsWith ' +
    'matches int uint double string bytes bool type dyn duration timestamp getDate getDayOfMonth getDayOfWeek ' +
    'getDayOfYear getFullYear getHours getMilliseconds getMinutes getMonth getSeconds charAt format indexOf join ' +
    'lastIndexOf lowerAscii quote replace reverse split substring trim upperAscii bind distinct flatten first ' +
    'last range slice sort sortBy greatest least abs sign ceil floor round trunc sqrt isInf isNaN isFinite ' +
    'bitAnd bitOr bitXor bitNot bitShiftLeft bitShiftRight in'
  ).split(' '),
);

/** Stands for Caddy's own call where the expression has `{placeholder}`; nobody can write it. */
const PLACEHOLDER = '\ue000';
const CALL = `${PLACEHOLDER}(req, "$2")`;

/** As Caddy replaces them, before it reads the expression: since 2.7, and until then. */
const EXPANSIONS: readonly ((text: string) => string)[] = [
  (text) =>
    text
      .replaceAll(/([^\\]|^)\{([a-zA-Z][\w.-]+)\}/g, `$1${CALL}`)
      .replaceAll(/\\\{([a-zA-Z][\w.-]+)\}/g, '{$1}'),
  (text) => text.replaceAll(/()\{([a-zA-Z][\w.-]+)\}/g, CALL),
];

/** A comment, a raw string, a string, a name, white space, or one other character. */
const TOKEN = new RegExp(
  [
    String.raw`(?<comment>\/\/[^\n]*)`,
    String.raw`[bB]?[rR](?<raw>"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n\r]*"|'[^'\n\r]*')`,
    String.raw`[bB]?(?<string>"""(?:\\[\s\S]|[^\\])*?"""|'''(?:\\[\s\S]|[^\\])*?'''|"(?:\\[\s\S]|[^"\\\n\r])*"|'(?:\\[\s\S]|[^'\\\n\r])*')`,
    String.raw`(?<name>[A-Za-z_${PLACEHOLDER}]\w*)`,
    String.raw`\s+|(?<other>[\s\S])`,
  ].join('|'),
  'g',
);

/** What a matcher's argument may have around its texts. */
const AROUND = new Set(['[', ']', '{', '}', ':', ',']);

type Read = {
  /** Why the expression is refused, as a sentence, or null. */
  fault: string | null;
  /** What its strings mean. */
  texts: string[];
};

export function readExpression(source: string): Read {
  if (source.includes(PLACEHOLDER)) return { fault: UNREADABLE, texts: [] };
  const reads = EXPANSIONS.map((expand) => readExpanded(expand(source)));
  return {
    fault: reads.find(({ fault }) => fault !== null)?.fault ?? null,
    texts: [...new Set(reads.flatMap(({ texts }) => texts))],
  };
}

function readExpanded(source: string): Read {
  const texts: string[] = [];
  const read = (fault: string | null): Read => ({ fault, texts });
  /** The name before this token. */
  let name: string | null = null;
  /** The matcher whose arguments these are. */
  let matcher: string | null = null;
  for (const { 0: word, groups = {} } of source.matchAll(TOKEN)) {
    const { raw, string, name: next, other } = groups;
    const text = raw ?? string;
    if (text !== undefined) texts.push(raw === undefined ? meaningOf(text) : text);
    else if (next === undefined && other === undefined) continue;
    if (`"'\`\\`.includes(other ?? ' ')) return read(UNREADABLE);
    if (matcher !== null) {
      if (other === ')') matcher = null;
      else if (text === undefined && !AROUND.has(word)) return read(notQuoted(matcher));
    } else if (other === '(' && name !== null && name !== PLACEHOLDER) {
      if (MATCHERS.has(name)) matcher = name;
      else if (!FUNCTIONS.has(name)) return read(notCalled(name));
    }
    name = next ?? null;
  }
  return read(null);
}

/** A string without its escapes. @param quoted with its quotes, which do not matter */
const meaningOf = (quoted: string): string =>
  quoted.replaceAll(
    /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([\s\S]))/g,
    (_, byte, short, long, octal, other) => {
      if (other !== undefined) return other;
      const code =
        octal === undefined
          ? Number.parseInt(byte ?? short ?? long, 16)
          : Number.parseInt(octal, 8);
      return code <= 0x10ffff ? String.fromCodePoint(code) : '';
    },
  );

const UNREADABLE = 'An `expression` has a quote, a backtick or a backslash that cannot be read.';

const notCalled = (name: string): string =>
  `An \`expression\` must not call \`${name}\`: Caddy could read files for it. It may call CEL’s own functions and Caddy’s matchers except \`file\`.`;

const notQuoted = (matcher: string): string =>
  `In an \`expression\`, \`${matcher}\` needs quoted texts alone: Caddy would read placeholders, and so files, in what a visitor sends. To compare two values, use \`==\`.`;
