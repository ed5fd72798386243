/** A real ntfy server: the one that the variable NTFY names, or the first on the PATH. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findServer, startServer } from './server-process.ts';
import { freePort, temporaryFolder } from './stack.ts';

/** Null if there is none: then the tests that need it are left out. */
export const NTFY = findServer('NTFY', 'ntfy');

/** As ntfy's JSON has it. */
type NtfyMessage = {
  id: string;
  /** Seconds since 1970. */
  time: number;
  topic: string;
  message: string;
  title?: string;
  /** From 1 to 5; left out: 3. */
  priority?: number;
  tags?: string[];
  click?: string;
};

export type Ntfy = {
  readonly url: string;
  /** Of an account that may use all topics; without it, only those whose names start with `open`. */
  readonly token: string;
  /** The messages of a topic, oldest first. */
  messages(topic: string): Promise<NtfyMessage[]>;
  /** Ends it, and removes what it has. */
  stop(): Promise<void>;
};

const TOKEN = 'tk_0123456789abcdefghijklmnopqrs';

/** @throws Error if it does not start */
export async function startNtfy(): Promise<Ntfy> {
  if (NTFY === null) throw new Error('no ntfy');
  const bin = NTFY;
  const folder = temporaryFolder();
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const password = await Bun.password.hash(crypto.randomUUID(), { algorithm: 'bcrypt', cost: 10 });
  const config = {
    'base-url': url,
    'listen-http': `127.0.0.1:${port}`,
    'cache-file': join(folder, 'cache.db'),
    'web-root': 'disable',
    'visitor-request-limit-exempt-hosts': '127.0.0.1',
    'auth-file': join(folder, 'accounts.db'),
    'auth-default-access': 'deny-all',
    'auth-users': [`ada:${password}:user`],
    'auth-access': ['ada:*:rw', '*:open*:rw'],
    'auth-tokens': [`ada:${TOKEN}`],
  };
  const file = join(folder, 'server.yml');
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(config));
  const kill = await startServer([bin, 'serve', '--config', file], folder, port);

  return {
    url,
    token: TOKEN,
    async messages(topic) {
      const answer = await fetch(`${url}/${topic}/json?poll=1&since=all`, {
        headers: { Authorization: `Bearer ${TOKEN}` },
      });
      if (!answer.ok) throw new Error(await answer.text());
      const lines = (await answer.text()).split('\n').filter((line) => line !== '');
      return lines.map((line) => JSON.parse(line));
    },
    async stop() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
