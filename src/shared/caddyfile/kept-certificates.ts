/** The certificates that a hub keeps, as a proxyfile names them: they travel beside it. Pure. */

/** What names one: its name at the hub, the host names in it, and `digestOfChain`. */
export type NamedKept = Readonly<{ name: string; names: readonly string[]; digest: string }>;

const LINE =
  /^# Certificate ([a-z0-9-]{1,40}) for ([^\n]*), kept by signalbox: sha256 ([0-9a-f]{64})$/;

/** A comment: without signalbox, the proxy gets certificates of its own. */
export const keptLine = ({ name, names, digest }: NamedKept): string =>
  `# Certificate ${name} for ${names.join(' ')}, kept by signalbox: sha256 ${digest}`;

/** Those that a proxyfile names, in its order: only the comments at its very start count. */
export function keptIn(proxyfile: string): NamedKept[] {
  const found: NamedKept[] = [];
  for (const [line] of proxyfile.matchAll(/^.*$/gm)) {
    if (!line.startsWith('#')) break;
    const [, name = '', names = '', digest] = LINE.exec(line) ?? [];
    if (digest !== undefined) found.push({ name, names: names.split(' '), digest });
  }
  return found;
}

export const keptDigests = (proxyfile: string): string[] =>
  keptIn(proxyfile).map(({ digest }) => digest);

/** Lower-case hex SHA-256 of a chain's PEM text. The key belongs to its first certificate. */
export const digestOfChain = (chain: string): string =>
  new Bun.CryptoHasher('sha256').update(chain).digest('hex');
