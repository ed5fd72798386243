/** Makes right what was pasted into the fields of a site, and says what became of it. Pure. */
/** `kept` is what stands in the field now. */
export type Corrected = {
  kept: string;
  /** What changed, as the rest of a sentence; empty if it is only written in another way. */
  why: string;
};

/** `Stored as 10.0.0.5:8096; the path / was dropped.` */
export const sentenceOf = ({ kept, why }: Corrected): string =>
  why === '' ? `Stored as ${kept}.` : `Stored as ${kept}; ${why}.`;

/**
 * An upstream that the hub takes: without path, with a port.
 * @returns null if it is right as it is, or if nobody can tell what is meant
 */
export function correctUpstream(typed: string): Corrected | null {
  const text = typed.trim();
  const url = parted(text);
  if (!url || !/^(?:https?|h2c)?$/.test(url.scheme)) return null;
  const { scheme, host, port, path } = url;
  // Caddy refuses both, and rightly.
  if ((scheme === 'http' && port === 443) || (scheme === 'https' && port === 80)) return null;
  const isRight = path === '' && host === url.written && (port !== null || scheme === 'h2c');
  if (isRight) return text === typed ? null : { kept: text, why: '' };
  const chosen = port ?? (scheme === 'https' ? 443 : scheme === 'h2c' ? null : 80);
  const prefix = scheme === '' || scheme === 'http' ? '' : `${scheme}://`;
  const kept = `${prefix}${host}${chosen === null ? '' : `:${chosen}`}`;
  const why = [
    ...(path === '' ? [] : [`the path ${path} was dropped`]),
    ...(port !== null || chosen === null
      ? []
      : scheme === ''
        ? [`no port was given, so it is ${chosen}, that of plain HTTP`]
        : [`${chosen} is the port of ${scheme}://`]),
  ];
  return { kept, why: why.join('; ') };
}

/**
 * A name of a site as the hub stores it, without what only the address of a page has.
 * @returns null if it is right as it is, or if nobody can tell what is meant
 */
export function correctName(typed: string): Corrected | null {
  const text = typed.trim();
  const url = parted(text);
  if (!url || !/^(?:https?)?$/.test(url.scheme)) return null;
  const { scheme, host, port, path } = url;
  if ((scheme === 'http' && port === 443) || (scheme === 'https' && port === 80)) return null;
  const usual = scheme === 'http' ? 80 : 443;
  // Without a scheme a site has HTTPS anyway.
  const prefix = scheme === 'http' ? 'http://' : '';
  const kept = `${prefix}${host}${port === null || port === usual ? '' : `:${port}`}`;
  if (kept === typed) return null;
  return { kept, why: path === '' ? '' : `the path ${path} was dropped` };
}

/** The first of several names that were pasted, and the others; else as `correctName`. */
export function correctNames(typed: string): (Corrected & { others: string[] }) | null {
  const all = isSeveral(typed) ? namesIn(typed) : [];
  const corrected = all.map((name) => correctName(name) ?? { kept: name, why: '' });
  const [kept = '', ...others] = new Set(corrected.map((one) => one.kept));
  if (all.length < 2) {
    const one = correctName(typed);
    return one && { ...one, others };
  }
  const is = others.length === 1 ? 'is another name' : 'are other names';
  const why = [
    ...corrected.map((one) => one.why).filter(Boolean),
    ...(others.length > 0 ? [`${others.join(', ')} ${is} of the site`] : []),
  ];
  return { kept, why: why.join('; '), others };
}

/** What only has spaces may be a mistake, unless each of its words can be nothing but a name. */
const isSeveral = (text: string): boolean =>
  text.includes(',') || namesIn(text).every((word) => /[.:]|^\{\$/.test(word));

/** The names in a text that was pasted: between them are commas, spaces or lines. */
export const namesIn = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

type Parted = {
  /** In lower case; empty if there is none. */
  scheme: string;
  /** In lower case and punycode, without a dot at the end, IPv6 in brackets. */
  host: string;
  /** The host as it was typed. */
  written: string;
  port: number | null;
  /** With query and fragment; empty if there is none. */
  path: string;
};

/** Null if it is no address of a host. Passwords are none of ours to drop. */
function parted(text: string): Parted | null {
  const match = /^(?:([a-z][a-z\d+.-]*):\/\/)?([^/?#\s,@{}]+)([/?#](?!\/)\S*)?$/i.exec(text);
  const [, scheme = '', authority = '', path = ''] = match ?? [];
  const ends = /^(\[[^\]]*\]|[^:[\]]*)(?::0*(\d{1,5}))?$/.exec(authority);
  const [, written = authority, digits] = ends ?? [];
  const host = written.includes(':') ? ipv6(written) : nameOf(written);
  const port = digits === undefined ? null : Number(digits);
  if (!match || host === null || port === 0 || (port ?? 1) > 65_535) return null;
  return { scheme: scheme.toLowerCase(), host, written, port, path };
}

/** In brackets; null if it is none, or if its end may be meant as a port. */
function ipv6(text: string): string | null {
  const isBare = !text.startsWith('[');
  if (isBare && /:\d{3,5}$/.test(text)) return null;
  return URL.parse(`http://${isBare ? `[${text}]` : text}/`)?.hostname ?? null;
}

/** Null if it is neither a name, perhaps with a wildcard, nor an IPv4 address. */
function nameOf(text: string): string | null {
  const [, wildcard = '', rest = ''] = /^(\*\.)?(.*?)\.?$/.exec(text) ?? [];
  const isAscii = /^[\0-\x7f]*$/.test(rest);
  const name = isAscii ? rest.toLowerCase() : (URL.parse(`http://${rest}/`)?.hostname ?? '');
  const labels = name.split('.');
  const isName = labels.every((label) => /^[a-z\d_]([a-z\d_-]{0,61}[a-z\d_])?$/.test(label));
  // With a number at the end it is an address, or a mistake.
  const isNumeric = /^\d+$/.test(labels.at(-1) ?? '');
  const isRight = isName && (!isNumeric || URL.parse(`http://${name}/`)?.hostname === name);
  return isRight ? wildcard + name : null;
}
