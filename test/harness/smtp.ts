/** A real mail server: the chasquid that the variable CHASQUID names, or the first on the PATH. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { selfSigned } from './certificate.ts';
import { findServer, startServer } from './server-process.ts';
import { freePort, temporaryFolder } from './stack.ts';

/** Null if there is none: then the tests that need it are left out. */
export const CHASQUID = findServer('CHASQUID', 'chasquid');

/** A message as it was delivered: its source with `\n`, headers of the server first. */
type Mail = string;

export type MailServer = {
  /** Of its certificate, which no authority signed: `certificate` is the PEM. */
  readonly host: 'localhost';
  readonly certificate: string;
  /** Offers STARTTLS but takes mail without, and without a sign-in; senders' domains are looked up. */
  readonly plainPort: number;
  /** Requires STARTTLS and a sign-in. */
  readonly startTlsPort: number;
  /** TLS from the first byte; requires a sign-in. */
  readonly tlsPort: number;
  /** An account, and the only address that exists. */
  readonly user: string;
  readonly password: string;
  /** What was delivered. */
  mails(): Mail[];
  stop(): Promise<void>;
};

const USER = 'ada@example.org';
const PASSWORD = 'a long passphrase';

/** @throws Error if it does not start */
export async function startMailServer(): Promise<MailServer> {
  if (CHASQUID === null) throw new Error('no chasquid');
  const folder = temporaryFolder();
  const [plainPort, startTlsPort, tlsPort] = [freePort(), freePort(), freePort()];
  const inbox = join(folder, 'inbox');
  const certificates = join(folder, 'certs/localhost');
  for (const path of [inbox, certificates, join(folder, 'domains/example.org')]) {
    mkdirSync(path, { recursive: true });
  }
  const { certificate, key } = await selfSigned(['localhost']);
  writeFileSync(join(certificates, 'fullchain.pem'), certificate);
  writeFileSync(join(certificates, 'privkey.pem'), key);
  // It hands each message to a program; a message appears in the inbox when it is complete.
  const deliver = 'cat > "$0/$$.part" && mv "$0/$$.part" "$0/$(date +%s.%N).$$"';
  const config = {
    hostname: ['localhost'],
    smtp_address: [`127.0.0.1:${plainPort}`],
    submission_address: [`127.0.0.1:${startTlsPort}`],
    submission_over_tls_address: [`127.0.0.1:${tlsPort}`],
    data_dir: [join(folder, 'data')],
    mail_log_path: ['<stderr>'],
    mail_delivery_agent_bin: ['/bin/sh'],
    mail_delivery_agent_args: ['-c', deliver, inbox],
  };
  const lines = Object.entries(config).flatMap(([name, values]) =>
    values.map((value) => `${name}: ${JSON.stringify(value)}\n`),
  );
  writeFileSync(join(folder, 'chasquid.conf'), lines.join(''));
  const util = join(dirname(CHASQUID), 'chasquid-util');
  const add = [util, `-C=${folder}`, 'user-add', USER, `--password=${PASSWORD}`];
  const { exitCode, stderr } = Bun.spawnSync(add);
  if (exitCode !== 0) throw new Error(stderr.toString());
  const kill = await startServer([CHASQUID, `-config_dir=${folder}`], folder, tlsPort);

  return {
    host: 'localhost',
    certificate,
    plainPort,
    startTlsPort,
    tlsPort,
    user: USER,
    password: PASSWORD,
    mails: () =>
      readdirSync(inbox)
        .filter((name) => !name.endsWith('.part'))
        .toSorted()
        .map((name) => readFileSync(join(inbox, name), 'utf8').replaceAll('\r\n', '\n')),
    async stop() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
