/** Importing a Caddyfile of 2,000 sites, and 500 hosts of Nginx Proxy Manager, each in one publish, compared with `caddy reload` of the same. */
import { manyHosts, npmForm } from '../harness/npm-database.ts';
import { ask, signUp, startStack } from '../harness/stack.ts';
import { startByHand } from './by-hand.ts';
import { median, ms, printTable, ratio, timed } from './table.ts';

const SITES = 2_000;
const HOSTS = 500;
const ROUNDS = 5;

export async function run(): Promise<void> {
  const imports: number[] = [];
  const reloads: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const stack = await startStack();
    const { headers } = await signUp(stack);
    const hand = await startByHand(stack.settings.agent.proxy.bin, stack.folder);
    const sites = Array.from(
      { length: SITES },
      (_, at) =>
        `# site ${at}\nhttp://site-${at}.example {\n\treverse_proxy localhost:${9000 + at}\n}\n`,
    );
    const host = 'last.example';
    const options = `{\n\thttp_port ${stack.httpPort}\n}\n\n`;
    const proxyfile = `${options}${sites.join('\n')}\nhttp://${host} {\n\trespond ${host}\n}\n`;
    imports.push(
      await timed(async () => {
        const answer = await ask(`${stack.hub}/import`, { json: { proxyfile }, headers });
        if (answer.status !== 200) throw new Error(answer.text);
      }),
    );
    reloads.push(await timed(() => hand.commands(proxyfile, stack.httpPort, host)));
    await hand.stop();
    await stack.stop();
  }
  console.log(`A Caddyfile of ${SITES} sites, ms, medians of ${ROUNDS}`);
  const [ours, theirs] = [median(imports), median(reloads)];
  printTable(
    ['import, proved and published', 'caddy validate && caddy reload', 'ratio'],
    [[ms(ours), ms(theirs), ratio(ours, theirs)]],
  );
  await runNpm();
}

async function runNpm(): Promise<void> {
  const imports: number[] = [];
  const reloads: number[] = [];
  const database = manyHosts(HOSTS);
  for (let round = 0; round < ROUNDS; round++) {
    const stack = await startStack();
    const { headers } = await signUp(stack);
    const hand = await startByHand(stack.settings.agent.proxy.bin, stack.folder);
    imports.push(
      await timed(async () => {
        const answer = await ask(`${stack.hub}/import/npm`, { raw: npmForm(database), headers });
        if (answer.status !== 200) throw new Error(answer.text);
      }),
    );
    const host = 'last.example';
    const last = `\nhttp://${host} {\n\trespond ${host}\n}\n`;
    const proxyfile = stack.readProxyfile() + last;
    reloads.push(await timed(() => hand.commands(proxyfile, stack.httpPort, host)));
    await hand.stop();
    await stack.stop();
  }
  console.log(`${HOSTS} hosts of Nginx Proxy Manager, without passwords, ms, medians of ${ROUNDS}`);
  const [ours, theirs] = [median(imports), median(reloads)];
  printTable(
    ['import, converted and published', 'caddy validate && caddy reload', 'ratio'],
    [[ms(ours), ms(theirs), ratio(ours, theirs)]],
  );
}
