/**
 * Finds what a power cut or a full disk left half-written in Caddy's storage, and sets it aside: Caddy
 * would refuse every configuration because of it, and makes what is missing.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { lstat, readdir, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { absent } from '../../logs/files/segments.ts';
import { ANY, readRegular, TORN, visitFolders } from './held-folder.ts';

/** Files that belong together. */
type Group = {
  /** The folder, as names from the storage on. */
  folder: readonly string[];
  /** The files' name without extension. */
  stem: string;
  names: readonly string[];
};

type RepairOptions = {
  /** Names what is set aside. */
  now: Date;
  /** Milliseconds after which a file is torn that seemed so at first: a running Caddy may be writing. */
  settle: number;
};

const AUTHORITIES = ['pki', 'authorities'];
const CERTIFICATES = 'certificates';
const PLACES = [
  [...AUTHORITIES, ANY],
  [CERTIFICATES, ANY, ANY],
  ['acme', ANY, 'users', ANY],
];
const PART = /^(.+)\.(crt|key|json)$/;

/**
 * Sets torn files aside as `NAME.torn-DATE`, with all that belongs to them: the key with the
 * certificate, and with the root of an authority everything that it signed.
 * @param storage Caddy's data folder, in a folder that only the agent's user may change
 * @returns the paths of the files and folders from the storage on
 * @throws file system errors
 */
export async function setTornAside(storage: string, options: RepairOptions): Promise<string[]> {
  const date = options.now.toISOString().slice(0, 10);
  const torn = await findTorn(storage);
  if (torn.length === 0) return [];
  await Bun.sleep(options.settle);
  const aside: string[] = [];
  for (const { folder, stem } of torn) {
    await visitFolders(storage, folder, async (held) => {
      const group = (await groupsIn(held, folder)).find((one) => one.stem === stem);
      if (!group || !(await isGroupTorn(held, group))) return;
      const isRoot = isAuthority(group) && stem === 'root';
      const names = isRoot ? (await readdir(held)).filter((name) => PART.test(name)) : group.names;
      for (const name of names) {
        if (await exists(asideOf(join(held, name), date))) await unlink(join(held, name));
        else await rename(join(held, name), asideOf(join(held, name), date));
        aside.push(join(...folder, name));
      }
      const id = folder.at(-1);
      if (isRoot && id !== undefined && (await setSignedAside(storage, id, date)))
        aside.push(join(CERTIFICATES, id));
    });
  }
  return aside;
}

/** The authorities whose root was ever set aside, and is still there. @throws file system errors */
export async function replacedRoots(storage: string): Promise<string[]> {
  const found: string[] = [];
  await visitFolders(storage, [...AUTHORITIES, ANY], async (held, names) => {
    const isReplaced = (name: string) => name.startsWith('root.') && TORN.test(name);
    if ((await readdir(held)).some(isReplaced)) found.push(names.at(-1) ?? '');
  });
  return found.sort();
}

async function findTorn(storage: string): Promise<Group[]> {
  const torn: Group[] = [];
  for (const pattern of PLACES) {
    await visitFolders(storage, pattern, async (held, folder) => {
      for (const group of await groupsIn(held, folder)) {
        if (await isGroupTorn(held, group)) torn.push(group);
      }
    });
  }
  // The root first, because the rest of its authority goes with it.
  return torn.sort((a, b) => Number(b.stem === 'root') - Number(a.stem === 'root'));
}

async function groupsIn(held: string, folder: readonly string[]): Promise<Group[]> {
  const found = new Map<string, string[]>();
  for (const name of await readdir(held)) {
    const stem = PART.exec(name)?.[1];
    if (stem !== undefined) found.set(stem, [...(found.get(stem) ?? []), name]);
  }
  return [...found].map(([stem, names]) => ({ folder, stem, names }));
}

const isAuthority = ({ folder }: Group): boolean => folder[0] === AUTHORITIES[0];

/** Without the certificate, Caddy replaces both in silence; without the key, it refuses. */
const isIncomplete = (group: Group, { crt, key }: Parts): boolean =>
  isAuthority(group) && /^(root|intermediate)$/.test(group.stem) && !(crt && key);

/** False for what cannot be read, or is no file: that is not for us to judge. */
async function isGroupTorn(held: string, group: Group): Promise<boolean> {
  const parts: Parts = {};
  try {
    for (const name of group.names) {
      const bytes = await readRegular(join(held, name));
      if (bytes === undefined) return false;
      parts[PART.exec(name)?.[2] as keyof Parts] = bytes;
    }
  } catch {
    return false;
  }
  return isTorn(parts) || isIncomplete(group, parts);
}

/** Certificates of an authority whose root is replaced. @returns whether there were any */
async function setSignedAside(storage: string, id: string, date: string): Promise<boolean> {
  let isAside = false;
  await visitFolders(storage, [CERTIFICATES], async (held) => {
    const from = join(held, id);
    if (!(await exists(from)) || (await exists(asideOf(from, date)))) return;
    await rename(from, asideOf(from, date));
    isAside = true;
  });
  return isAside;
}

/** One of a day, and that is the first: later ones were hardly in use, and a full disk makes many. */
const asideOf = (path: string, date: string): string => `${path}.torn-${date}`;

const exists = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(absent)) !== undefined;

/** What Caddy stores together, by extension; absent if there is no such file. */
type Parts = Partial<Record<'crt' | 'key' | 'json', Buffer>>;

/** Whether a part cannot be read to its end, or the key is not that of the certificate. */
function isTorn({ crt, key, json }: Parts): boolean {
  try {
    const chain = crt && readChain(crt.toString('latin1'));
    const privateKey = key && createPrivateKey(key);
    if (json) JSON.parse(json.toString());
    return chain?.[0] !== undefined && privateKey !== undefined
      ? !chain[0].checkPrivateKey(privateKey)
      : false;
  } catch {
    return true;
  }
}

const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';

/** The certificates of a PEM file, the leaf first. @throws if there is none, or one is cut */
function readChain(pem: string): X509Certificate[] {
  const [before, ...blocks] = pem.split(BEGIN);
  if (before?.trim() !== '' || blocks.length === 0) throw new Error('no certificate');
  return blocks.map((block) => {
    if (!block.trimEnd().endsWith(END)) throw new Error('a certificate is cut');
    return new X509Certificate(BEGIN + block);
  });
}
