/** Sites to measure with. */
import { ask } from '../harness/stack.ts';

/** Of one request. */
const CHUNK = 1_000;

/**
 * Creates the sites `http://site-N.example` with the numbers from `from` on, a thousand with each publish.
 * @param hub the base URL of its API
 * @param more what is different about each of them
 */
export async function addSites(
  { hub, headers }: { hub: string; headers: Record<string, string> },
  count: number,
  more: object | ((at: number) => object) = {},
  from = 0,
): Promise<void> {
  for (let first = 0; first < count; first += CHUNK) {
    const operations = Array.from({ length: Math.min(CHUNK, count - first) }, (_, offset) => {
      const at = from + first + offset;
      return {
        op: 'create',
        domain: `http://site-${at}.example`,
        config: 'reverse_proxy {upstream}',
        upstream: '127.0.0.1:9',
        ...(typeof more === 'function' ? more(at) : more),
      };
    });
    const made = await ask(`${hub}/vhosts/bulk`, { headers, json: { operations } });
    if (made.status !== 200) throw new Error(made.text);
  }
}
