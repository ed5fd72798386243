/**
 * The time from `PUT /api/policies/:id` to the first request that shows it, for a policy of 200 sites.
 * Compared, in the same run and with the same text, with Caddy alone (`POST /load`) and with work by
 * hand: write the file, `caddy validate && caddy reload`.
 */
import { ask, signUp, startStack, until } from '../harness/stack.ts';
import { startByHand } from './by-hand.ts';
import { addSites } from './sites.ts';
import { median, ms, printTable, ratio, timed } from './table.ts';

const SITES = 200;
const ROUNDS = 11;

export async function run(): Promise<void> {
  const stack = await startStack();
  const { headers } = await signUp(stack);
  const hand = await startByHand(stack.settings.agent.proxy.bin, stack.folder);
  const call = async (method: string, path: string, json: object) => {
    const answer = await ask<{ id: number }>(`${stack.hub}${path}`, { method, json, headers });
    if (answer.status >= 300) throw new Error(answer.text);
    return answer.body;
  };
  const closed = (text: string) => ({ values: { text } });
  const recipe = { name: 'closed', recipe: 'maintenance' };
  const policy = await call('POST', '/policies', { ...recipe, ...closed('first') });
  await addSites({ hub: stack.hub, headers }, SITES, { policies: ['closed'] });

  const times: { ours: number[]; raw: number[]; byHand: number[] } = {
    ours: [],
    raw: [],
    byHand: [],
  };
  for (let round = 0; round <= ROUNDS; round++) {
    const host = `site-${round}.example`;
    const ours = await timed(async () => {
      await call('PUT', `/policies/${policy.id}`, closed(host));
      await until(async () => (await stack.served(host)).text === host);
    });
    const text = stack.readProxyfile();
    const raw = await timed(() => hand.load(text, stack.httpPort, host));
    const byHand = await timed(() => hand.commands(text, stack.httpPort, host));
    // In the first round everything is cold.
    if (round === 0) continue;
    times.ours.push(ours);
    times.raw.push(raw);
    times.byHand.push(byHand);
    await Bun.sleep(100);
  }
  await hand.stop();
  await stack.stop();
  const [ours, raw, byHand] = [median(times.ours), median(times.raw), median(times.byHand)];
  console.log(`Change of a policy of ${SITES} sites to served, ms, medians of ${ROUNDS}`);
  printTable(
    ['signalbox', 'raw load', 'by hand', 'to raw', 'to by hand'],
    [[ms(ours), ms(raw), ms(byHand), ratio(ours, raw), ratio(ours, byHand)]],
  );
}
