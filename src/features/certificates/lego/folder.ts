/** What lego finds in its folder, and leaves there: accounts, a request, a certificate. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere } from '../../../shared/system/files.ts';
import { loadX509, newKeys, newSelfSigned, type Pair } from '../../../shared/x509.ts';

const DAY_MS = 86_400_000;

/** A certificate for this machine's own address that signs itself, with its key, both as PEM. */
export function newLoopbackCertificate(): Promise<Pair> {
  const now = Date.now();
  return newSelfSigned('signalbox', ['127.0.0.1'], new Date(now - DAY_MS), new Date(now + DAY_MS));
}

/** A new key, and the request for a certificate of these names that is signed with it, both as PEM. */
export async function newRequest(
  names: readonly string[],
): Promise<{ key: string; request: string }> {
  const x509 = await loadX509();
  const { keys, algorithm, pem } = await newKeys();
  const names509 = names.map((value) => ({ type: 'dns', value }) as const);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    keys,
    signingAlgorithm: algorithm,
    extensions: [new x509.SubjectAlternativeNameExtension(names509)],
  });
  return { key: pem, request: `${request.toString('pem')}\n` };
}

/**
 * Puts the request in place of what an earlier order left, and repairs what a kill or a power cut did.
 * @returns its file
 * @throws file system errors
 */
export function prepareFolder(folder: string, request: string): string {
  clearFolder(folder);
  repairAccounts(join(folder, 'accounts'));
  const file = requestIn(folder);
  writeFileSync(file, request, { mode: 0o600 });
  return file;
}

/** The certificate that lego wrote, with its chain; null if there is none. */
export function readChain(folder: string): string | null {
  const certificates = join(folder, 'certificates');
  if (!existsSync(certificates)) return null;
  const name = readdirSync(certificates).find((one) => /(?<!\.issuer)\.crt$/.test(one));
  return name === undefined ? null : readFileSync(join(certificates, name), 'utf8');
}

/** Leaves nothing but the accounts. */
export function clearFolder(folder: string): void {
  rmSync(join(folder, 'certificates'), { recursive: true, force: true });
  rmSync(requestIn(folder), { force: true });
}

const requestIn = (folder: string): string => join(folder, 'request.pem');

/**
 * lego refuses half a file for good. Without `account.json` it asks the authority which account the key
 * has; without a key, no account could be used again anyway.
 */
function repairAccounts(accounts: string): void {
  if (!existsSync(accounts)) return;
  for (const found of new Bun.Glob('*/*/account.json').scanSync({ cwd: accounts, dot: true })) {
    const file = join(accounts, found);
    if (!isJson(readIfThere(file) ?? '')) rmSync(file);
  }
  for (const found of new Bun.Glob('*/*/keys/*.key').scanSync({ cwd: accounts, dot: true })) {
    const file = join(accounts, found);
    if (readIfThere(file)?.includes('-----END')) continue;
    rmSync(join(accounts, found, '../..'), { recursive: true });
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
