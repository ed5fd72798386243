/** `signalbox agent --new-cert`: writes a certificate for the agent where its settings look for one. */
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { dataDirOf } from '../config.ts';
import { type Cli, EXIT, messageOf } from './command.ts';
import { newCertificate } from './new-certificate.ts';

/** @returns the exit code */
export async function writeCertificate({ env, out, fail }: Cli): Promise<number> {
  const folder = dataDirOf(env);
  const cert = resolve(env.AGENT_TLS_CERT?.trim() || join(folder, 'agent-cert.pem'));
  const key = resolve(env.AGENT_TLS_KEY?.trim() || join(folder, 'agent-key.pem'));
  try {
    const names = [hostname(), 'localhost', env.AGENT_HOST?.trim() || '127.0.0.1'];
    const { fingerprint } = await newCertificate({ cert, key, names, now: new Date() });
    out(`AGENT_TLS_CERT=${cert}\nAGENT_TLS_KEY=${key}\n`);
    out(`\nFor the hub:\nAGENT_CA=${fingerprint}\n`);
    return EXIT.done;
  } catch (error) {
    fail(`signalbox agent --new-cert: ${messageOf(error)}`);
    return EXIT.failed;
  }
}
