/** Which modules the program on disk was built with. */
import { outputOf, type Program } from './version.ts';

const DNS_PROVIDER = 'dns.providers.';

/** Their names, such as `http.handlers.reverse_proxy`; null if the program cannot be asked. */
export async function modulesOf(program: Program): Promise<string[] | null> {
  const printed = await outputOf(program, 'list-modules');
  // Between them there are totals, such as `  Standard modules: 106`.
  return printed?.match(/^[a-z]\S*$/gm) ?? null;
}

/** The names after `dns.providers.`, sorted; none if the program cannot be asked. */
export async function dnsProviders(program: Program): Promise<string[]> {
  const modules = (await modulesOf(program)) ?? [];
  return modules
    .flatMap((name) => (name.startsWith(DNS_PROVIDER) ? name.slice(DNS_PROVIDER.length) : []))
    .toSorted();
}
