/** The self-signed certificate of an agent that invites a hub. */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { writeDurably } from '../../shared/system/files.ts';
import { newSelfSigned } from '../../shared/x509.ts';
import { certificateFiles, hasToken } from '../agent-settings.ts';
import { dataDirOf } from '../data-folder.ts';
import { type Env, givenIn, valueIn } from '../settings.ts';

type NewCertificate = {
  /** Paths to write to. */
  cert: string;
  key: string;
  /** The host names and addresses it is valid for. */
  names: readonly string[];
  now: Date;
};

/** Long enough for any machine: the hub knows the certificate by its fingerprint. */
const YEARS = 10;

/** Makes the certificate of an agent that invites a hub, unless it has one. @throws as `newCertificate` */
export async function keepCertificate(env: Env): Promise<void> {
  const files = certificateFiles(dataDirOf(env));
  if (hasToken(env) || givenIn(env, 'AGENT_TLS_CERT') !== undefined) return;
  if (existsSync(files.cert) && existsSync(files.key)) return;
  await newCertificate({ ...files, names: namesOf(env), now: new Date() });
}

/** The hub knows the certificate by its fingerprint: the names are for other clients. */
const namesOf = (env: Env): string[] => [hostname(), 'localhost', valueIn(env, 'AGENT_HOST')];

/** @throws Error if one of the files exists or cannot be written */
export async function newCertificate({ cert, key, names, now }: NewCertificate): Promise<void> {
  const existing = [cert, key].find((file) => existsSync(file));
  if (existing !== undefined) throw new Error(`${existing} already exists`);
  const notAfter = new Date(now);
  notAfter.setFullYear(now.getFullYear() + YEARS);
  const pair = await newSelfSigned('signalbox agent', names, now, notAfter);
  for (const file of [cert, key]) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeDurably(key, pair.key, 0o600);
  try {
    writeDurably(cert, pair.cert, 0o644);
  } catch (error) {
    // Alone it is of no use, and in the way of another try.
    rmSync(key, { force: true });
    throw error;
  }
}
