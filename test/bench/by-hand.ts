/** A second Caddy, to measure what a person would do without signalbox. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, until } from '../harness/stack.ts';

/** Asks on new connections until one is answered by the new site; tests would wait for the old listeners, too. */
export async function untilServed(port: number, host: string): Promise<void> {
  const visit = async () => {
    const init = { headers: { Host: host }, keepalive: false };
    return (await fetch(`http://127.0.0.1:${port}/`, init)).text();
  };
  for (const from = Date.now(); (await visit()) !== host; await Bun.sleep(1)) {
    if (Date.now() - from > 15_000) throw new Error(`${host} is not served`);
  }
}

export type ByHand = Awaited<ReturnType<typeof startByHand>>;

export async function startByHand(bin: string, folder: string) {
  const file = join(folder, 'byhand.Caddyfile');
  const [admin, port] = [freePort(), freePort()];
  const options: Bun.SpawnOptions.OptionsObject<'ignore', 'ignore', 'ignore'> = {
    env: { PATH: process.env.PATH ?? '', HOME: folder, XDG_DATA_HOME: join(folder, 'byhand') },
    stdio: ['ignore', 'ignore', 'ignore'],
  };
  writeFileSync(file, `{\n\tadmin localhost:${admin}\n}\n`);
  const caddy = Bun.spawn([bin, 'run', '--config', file, '--adapter', 'caddyfile'], options);
  const up = () =>
    fetch(`http://localhost:${admin}/config/`).then(
      () => true,
      () => false,
    );
  await until(up);

  async function command(word: string): Promise<void> {
    const args = [bin, word, '--config', file, '--adapter', 'caddyfile'];
    if ((await Bun.spawn(args, options).exited) !== 0) throw new Error(`caddy ${word} failed`);
  }

  /** The same sites, on this Caddy's port and with its admin endpoint. */
  const own = (text: string, from: number, mark: string) =>
    `${text
      .replace(/^\{\n/m, `{\n\tadmin localhost:${admin}\n`)
      .replaceAll(`http_port ${from}`, `http_port ${port}`)
      .replace(/\thttps_port \d+\n/, '')}# ${mark}\nhttp://${mark}.example {\n}\n`;

  return {
    port,

    /** `POST /load` of the text, which is neither validated nor kept. */
    async load(text: string, from: number, host: string): Promise<void> {
      const answer = await fetch(`http://localhost:${admin}/load`, {
        method: 'POST',
        headers: { 'Content-Type': 'text/caddyfile' },
        body: own(text, from, 'loaded'),
        keepalive: false,
      });
      const words = await answer.text();
      if (words.includes('{"error"')) throw new Error(words);
      await untilServed(port, host);
    },

    /** Writes the file, then `caddy validate` and `caddy reload`. */
    async commands(text: string, from: number, host: string): Promise<void> {
      writeFileSync(file, own(text, from, 'commanded'));
      await command('validate');
      await command('reload');
      await untilServed(port, host);
    },

    async stop(): Promise<void> {
      caddy.kill();
      await caddy.exited;
    },
  };
}
