/** Reads the settings of the agent that are more than a word: its enrolment, and the log engine. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ProxySettings } from '../../agent/caddy/proxy.ts';
import { CREDENTIALS_FILE } from '../../agent/enrolment/credentials.ts';
import type { Limits } from '../../agent/logs/storage/keeper.ts';
import type { AgentPlan } from '../feature.ts';
import { type Env, givenIn } from './settings.ts';
import type { SettingsReader } from './settings-reader.ts';

export type AgentSettings = Readonly<{
  host: string;
  port: number;
  /** PEM texts; null: plain HTTP. */
  tls: Readonly<{ cert: string; key: string }> | null;
  /** What it has instead of a token; null with a token. */
  enrolment: EnrolmentSettings | null;
  /** Whether it dials upstreams to see whether they are up. */
  upstreamProbe: boolean;
  /** Absolute. */
  dataDir: string;
  /** What features do there. */
  plans: readonly AgentPlan[];
  proxy: Omit<ProxySettings, 'accessLog'> & {
    accessLog: { file: string; rollMb: number } & Limits;
  };
}>;

type EnrolmentSettings = Readonly<{
  /** Which hub it obeys, and the hashes of that hub's tokens; missing before the first enrolment. */
  credentials: string;
  /** The secret that Caddy's admin endpoint knows it by, so that a new token does not matter there. */
  adminSecret: string;
  /** Whether it invites a hub, beside the one that it may have. */
  invites: boolean;
}>;

/** Throws if the file cannot be read. */
type ReadFile = (path: string) => string;

/** The agent's certificate and key, if no setting names others. */
export const certificateFiles = (dataDir: string) => ({
  cert: join(dataDir, 'agent-cert.pem'),
  key: join(dataDir, 'agent-key.pem'),
});

/** Whether an agent has its token from the settings, and so cannot be enrolled. */
export const hasToken = (env: Env): boolean =>
  ['AGENT_TOKEN', 'AGENT_TOKEN_FILE'].some((name) => givenIn(env, name) !== undefined);

/** Whether an agent with these settings is enrolled, and so serves TLS. */
export const isEnrolled = (env: Env, dataDir: string): boolean =>
  !hasToken(env) && existsSync(join(dataDir, CREDENTIALS_FILE));

/**
 * For the agent.
 * @param invites whether a hub is to be invited
 * @returns null if the settings have a token, or it cannot do without one
 */
export function readEnrolment(
  read: SettingsReader,
  env: Env,
  readFile: ReadFile,
  invites: boolean,
): EnrolmentSettings | null {
  if (hasToken(env)) {
    if (invites) {
      read.fault('AGENT_TOKEN', 'is set: remove it (or AGENT_TOKEN_FILE) to invite a hub');
    }
    return null;
  }
  const credentials = join(read.dataDir, CREDENTIALS_FILE);
  if (!invites && textOf(credentials, readFile) === null) {
    read.fault(
      'AGENT_TOKEN',
      'is required (or AGENT_TOKEN_FILE): hub and agent share this token; or invite a hub with signalbox agent --invite',
    );
    return null;
  }
  return { credentials, adminSecret: join(read.dataDir, 'admin-secret'), invites };
}

/** An enrolled agent always serves TLS: its hub knows it by its certificate. */
export function readOwnTls(
  read: SettingsReader,
  readFile: ReadFile,
): { cert: string; key: string } | null {
  const files = certificateFiles(read.dataDir);
  const [cert, key] = [textOf(files.cert, readFile), textOf(files.key, readFile)];
  if (cert !== null && key !== null) return { cert, key };
  read.fault(
    'DATA_DIR',
    'has no readable agent-cert.pem and agent-key.pem, by which the hub knows this agent: invite it again with signalbox agent --invite',
  );
  return null;
}

function textOf(file: string, readFile: ReadFile): string | null {
  try {
    return readFile(file);
  } catch {
    return null;
  }
}
