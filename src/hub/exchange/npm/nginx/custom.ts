/** Custom locations as Nginx Proxy Manager writes them for nginx. Pure. */
import type { Location } from '../rows.ts';
import type { Findings } from './findings.ts';
import { type Directive, parse } from './parse.ts';

/** A custom location, as Nginx Proxy Manager writes it for nginx; null if that is not one. */
export function customOf(
  location: Location,
  { refuse, cannot }: Findings,
): { args: readonly string[]; block: readonly Directive[] } | null {
  const { path, advanced } = location;
  const to = targetOf(location);
  const head = onlyOne(`location ${path} {}`);
  const pass = onlyOne(`proxy_pass ${to};`);
  const own = parse(advanced);
  if ('fault' in own) refuse(own.fault);
  if (head?.name !== 'location' || head.block?.length !== 0) cannot(`location ${path}`);
  else if (pass?.block !== null || pass.args.length !== 1) cannot(`proxy_pass ${to}`);
  else return { args: head.args, block: [...('fault' in own ? [] : own.directives), pass] };
  return null;
}

/** Its path may stand in its host. */
function targetOf({ scheme, host, port, forwardPath }: Location): string {
  const [name = '', ...path] = host.split('/');
  return `${scheme}://${name}:${port}${path.length === 0 ? forwardPath : `/${path.join('/')}`}`;
}

/** All that nginx was given. */
export const sourceOf = ({
  advanced,
  locations,
}: {
  advanced: string;
  locations: readonly Location[];
}): string =>
  [
    ...(advanced.trim() === '' ? [] : [advanced.trimEnd()]),
    ...locations.flatMap((location) => [
      `location ${location.path} {`,
      ...(location.advanced.trim() === '' ? [] : [location.advanced.trimEnd()]),
      `proxy_pass ${targetOf(location)};`,
      '}',
    ]),
  ].join('\n');

function onlyOne(text: string): Directive | undefined {
  const parsed = parse(text);
  return 'fault' in parsed || parsed.directives.length !== 1 ? undefined : parsed.directives[0];
}
