/** Which DNS providers the program on disk was built with. */
import { outputOf, type Program } from './version.ts';

const PREFIX = 'dns.providers.';

/** The names after `dns.providers.`, sorted; none if the program cannot be asked. */
export async function dnsProviders(program: Program): Promise<string[]> {
  const printed = (await outputOf(program, 'list-modules')) ?? '';
  return printed
    .split('\n')
    .flatMap((line) => (line.startsWith(PREFIX) ? line.slice(PREFIX.length).trim() : []))
    .toSorted();
}
