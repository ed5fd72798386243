/** Takes credentials out of what another program printed, also where it printed them encoded. */

const MASK = '***';
/** Anything shorter is masked as a word only: it may be part of any other. */
const SHORTEST = 4;
/** A value may be a list, or JSON: what is this long in it is masked by itself. */
const SHORTEST_PART = 12;

/** An address is no secret, unless a password is in it; an error without it helps nobody. */
function isPlain(name: string, value: string): boolean {
  if (/_(?:INTERVAL|TIMEOUT|ALGORITHM|REGION)$/.test(name)) return true;
  if (!/_(?:NAMESERVER|HOST|SERVER|ENDPOINT|URL|BASE)$/.test(name)) return false;
  const url = URL.parse(value.includes('://') ? value : `dns://${value}`);
  return url !== null && !(url.username || url.password || url.search || url.hash);
}

/** `text` without the values of `credentials`, in any of the usual encodings. Pure. */
export function createMask(
  credentials: Readonly<Record<string, string>>,
): (text: string) => string {
  const values = Object.entries(credentials).flatMap(([name, value]) =>
    value.trim() === '' || isPlain(name, value) ? [] : [value.trim()],
  );
  const parts = values.flatMap((value) =>
    value.split(/[\s,;:"'{}\\=|&]+/).filter((part) => part.length >= SHORTEST_PART),
  );
  const forms = [...new Set([...values, ...parts].flatMap(formsOf))];
  if (forms.length === 0) return (text) => text;
  const pattern = forms
    .toSorted((a, b) => b.length - a.length)
    .map((form) =>
      form.length < SHORTEST ? `(?<!\\w)${RegExp.escape(form)}(?!\\w)` : RegExp.escape(form),
    )
    .join('|');
  // In any case: hexadecimal digits, %2F and %2f, and what somebody's server turned into capitals.
  const all = new RegExp(pattern, 'gi');
  return (text) => text.replace(all, MASK);
}

function formsOf(value: string): string[] {
  if (value.length < SHORTEST) return [value];
  const url = encodeURIComponent(value);
  // Go escapes more, and a space in a query otherwise.
  const strict = url.replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
  const bytes = Buffer.from(value);
  return [
    value,
    url,
    strict,
    strict.replaceAll('%20', '+'),
    JSON.stringify(value).slice(1, -1),
    Bun.escapeHTML(value),
    bytes.toString('hex'),
    ...inBase64(bytes),
  ];
}

/** What is in the Base64 of any text with `bytes` in it, as of `user:password`, wherever that begins. */
const inBase64 = (bytes: Buffer): string[] =>
  [0, 1, 2].flatMap((before) => {
    // The first and last characters also depend on what is beside it.
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64url');
    const sure = text.slice(before === 0 ? 0 : before + 1, bytesEnd(before + bytes.length));
    if (sure.length < SHORTEST) return [];
    return [sure, sure.replaceAll('-', '+').replaceAll('_', '/')];
  });

/** How many characters of Base64 the first `count` bytes determine. */
const bytesEnd = (count: number): number => Math.floor((count * 8) / 6);
