/** Applying a document of 2,000 sites, compared with the import of a Caddyfile of the same; and what comes after. */
import { ask, signUp, startStack } from '../harness/stack.ts';
import { median, ms, printTable, ratio, timed } from './table.ts';

const SITES = 2_000;
const ROUNDS = 5;

const sites = Array.from({ length: SITES }, (_, at) => ({
  domain: `http://site-${at}.example`,
  upstream: `localhost:${9000 + at}`,
}));
const document = { source: 'bench', sites };
const blocks = sites.map(({ domain, upstream }) => `${domain} {\n\treverse_proxy ${upstream}\n}\n`);

/** Milliseconds that requests to a new hub took, one after the other. */
async function times(requests: readonly (readonly [path: string, json: object])[]) {
  const stack = await startStack();
  const { headers } = await signUp(stack);
  const options = `{\n\thttp_port ${stack.httpPort}\n}\n\n`;
  const proxyfile = `${options}${blocks.join('\n')}`;
  const found: number[] = [];
  for (const [path, json] of requests) {
    const given = path === '/import' ? { proxyfile } : json;
    found.push(
      await timed(async () => {
        const answer = await ask(`${stack.hub}${path}`, { json: given, headers });
        if (answer.status !== 200) throw new Error(answer.text);
      }),
    );
  }
  await stack.stop();
  return found;
}

export async function run(): Promise<void> {
  const imports: number[] = [];
  const applies: number[][] = [];
  const other = {
    ...document,
    sites: sites.map((site) => ({ ...site, upstream: 'localhost:80' })),
  };
  for (let round = 0; round < ROUNDS; round++) {
    imports.push(...(await times([['/import', {}]])));
    applies.push(
      await times([
        ['/apply', document],
        ['/apply', document],
        ['/apply', { ...other, dryRun: true }],
      ]),
    );
  }
  const medians = [0, 1, 2].map((at) => median(applies.map((one) => one[at] ?? 0)));
  const [first = 0, again = 0, plan = 0] = medians;
  const imported = median(imports);
  console.log(`A document of ${SITES} sites, ms, medians of ${ROUNDS}`);
  printTable(
    ['apply', 'import of the same', 'ratio', 'apply again', 'plan of a change of each'],
    [[ms(first), ms(imported), ratio(first, imported), ms(again), ms(plan)]],
  );
}
