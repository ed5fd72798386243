/**
 * From `POST /api/vhosts` to the first request that is served, with so many vhosts there before;
 * beside it, in the same run, what a person does by hand with the same file: write it,
 * `caddy validate && caddy reload`, and ask.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../src/db/open.ts';
import { vhosts } from '../../src/db/schema.ts';
import { ask, freePort, signUp, startStack, temporaryFolder, until } from '../harness/stack.ts';
import { median, ms, printTable, ratio, timed } from './table.ts';

const SIZES = [1, 10, 100, 1_000];
const ROUNDS = 11;

export async function run(): Promise<void> {
  const rows: string[][] = [];
  for (const size of SIZES) {
    const { ours, byHand } = await measure(size);
    rows.push([String(size), ms(ours), ms(byHand), ratio(ours, byHand)]);
  }
  console.log(`Create to served, ms, medians of ${ROUNDS}`);
  printTable(['vhosts', 'signalbox', 'validate && reload', 'ratio'], rows);
}

async function measure(size: number): Promise<{ ours: number; byHand: number }> {
  const folder = temporaryFolder();
  fill(join(folder, 'data'), size);
  const stack = await startStack({}, folder);
  const { headers } = await signUp(stack);
  const hand = await startByHand(stack.settings.agent.proxy.bin, folder);
  const ours: number[] = [];
  const byHand: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const host = `new-${round}.example`;
    ours.push(
      await timed(async () => {
        const json = { domain: `http://${host}`, config: `respond ${host}` };
        const made = await ask(`${stack.hub}/vhosts`, { json, headers });
        if (made.status !== 201) throw new Error(`${made.text}\n${stack.lines.join('\n')}`);
        await until(async () => (await stack.served(host)).text === host);
      }),
    );
    byHand.push(await timed(() => hand.change(stack.readProxyfile(), stack.httpPort, host)));
  }
  await hand.stop();
  await stack.stop();
  return { ours: median(ours), byHand: median(byHand) };
}

/** So many vhosts, as if they had been created one by one. */
function fill(dataDir: string, size: number): void {
  const { db, close } = openDatabase(dataDir);
  const at = new Date();
  const row = (number: number) => ({
    position: number,
    domain: `http://site-${number}.example`,
    config: 'reverse_proxy {upstream}',
    upstream: '127.0.0.1:9',
    enabled: true,
    createdAt: at,
    updatedAt: at,
  });
  db.transaction((tx) => {
    for (let number = 1; number <= size; number++) tx.insert(vhosts).values(row(number)).run();
  });
  close();
}

/** A Caddy of its own, changed with nothing but its own commands. */
async function startByHand(bin: string, folder: string) {
  const file = join(folder, 'byhand.Caddyfile');
  const [admin, port] = [freePort(), freePort()];
  const env = { PATH: process.env.PATH ?? '', HOME: folder, XDG_DATA_HOME: join(folder, 'byhand') };
  const quiet: Bun.SpawnOptions.OptionsObject<'ignore', 'ignore', 'ignore'> = {
    env,
    stdio: ['ignore', 'ignore', 'ignore'],
  };
  const text = (sites: string, from: number) =>
    sites
      .replace(/^\{\n/m, `{\n\tadmin localhost:${admin}\n`)
      .replaceAll(`http_port ${from}`, `http_port ${port}`);
  writeFileSync(file, `{\n\tadmin localhost:${admin}\n}\n`);
  const caddy = Bun.spawn([bin, 'run', '--config', file, '--adapter', 'caddyfile'], quiet);
  await until(() =>
    fetch(`http://localhost:${admin}/config/`).then(
      () => true,
      () => false,
    ),
  );
  const command = async (word: string) => {
    const args = [bin, word, '--config', file, '--adapter', 'caddyfile'];
    if ((await Bun.spawn(args, quiet).exited) !== 0) throw new Error(`caddy ${word} failed`);
  };
  return {
    async change(sites: string, from: number, host: string) {
      writeFileSync(file, text(sites, from).replace(/https_port \d+/, ''));
      await command('validate');
      await command('reload');
      const url = `http://127.0.0.1:${port}/`;
      await until(async () => (await ask(url, { headers: { Host: host } })).text === host);
    },
    async stop() {
      caddy.kill();
      await caddy.exited;
    },
  };
}
