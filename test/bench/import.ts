/** Importing a Caddyfile of 2,000 sites, and 500 hosts of Nginx Proxy Manager, each in one publish, compared with `caddy reload` of the same. */
import { manyHosts, npmForm } from '../harness/npm-database.ts';
import { ask, type Stack, signUp, startStack } from '../harness/stack.ts';
import { startByHand } from './by-hand.ts';
import { median, ms, printTable, ratio, timed } from './table.ts';

const SITES = 2_000;
const HOSTS = 500;
const ROUNDS = 5;

export async function run(): Promise<void> {
  const last = (host: string) => `http://${host} {\n\trespond ${host}\n}\n`;
  const sites = Array.from(
    { length: SITES },
    (_, at) =>
      `# site ${at}\nhttp://site-${at}.example {\n\treverse_proxy localhost:${9000 + at}\n}\n`,
  ).join('\n');
  const whole = ({ httpPort }: Stack) => `{\n\thttp_port ${httpPort}\n}\n\n${sites}\n${last(HOST)}`;
  await compare(
    `A Caddyfile of ${SITES} sites, ms, medians of ${ROUNDS}`,
    'import, proved and published',
    (stack) => ['/import', { json: { proxyfile: whole(stack) } }],
    whole,
  );
  const database = manyHosts(HOSTS);
  await compare(
    `${HOSTS} hosts of Nginx Proxy Manager, without passwords, ms, medians of ${ROUNDS}`,
    'import, converted and published',
    () => ['/import/npm', { raw: npmForm(database) }],
    (stack) => `${stack.readProxyfile()}\n${last(HOST)}`,
  );
}

/** What is served last. */
const HOST = 'last.example';

/**
 * @param request of the import
 * @param reloaded the Caddyfile of the same sites and `HOST`, once they were imported
 */
async function compare(
  title: string,
  name: string,
  request: (stack: Stack) => [path: string, body: Parameters<typeof ask>[1]],
  reloaded: (stack: Stack) => string,
): Promise<void> {
  const imports: number[] = [];
  const reloads: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const stack = await startStack();
    const { headers } = await signUp(stack);
    const hand = await startByHand(stack.settings.agent.proxy.bin, stack.folder);
    const [path, body] = request(stack);
    imports.push(
      await timed(async () => {
        const answer = await ask(stack.hub + path, { ...body, headers });
        if (answer.status !== 200) throw new Error(answer.text);
      }),
    );
    reloads.push(await timed(() => hand.commands(reloaded(stack), stack.httpPort, HOST)));
    await hand.stop();
    await stack.stop();
  }
  console.log(title);
  const [ours, theirs] = [median(imports), median(reloads)];
  printTable(
    [name, 'caddy validate && caddy reload', 'ratio'],
    [[ms(ours), ms(theirs), ratio(ours, theirs)]],
  );
}
