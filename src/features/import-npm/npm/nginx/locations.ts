/** What a location of nginx matches, and what answers there. Pure. */
import { readNetworks, written } from '../networks.ts';
import type { AccessList, Location } from '../rows.ts';
import { returned, rewritten, tabbed } from './answers.ts';
import type { Findings } from './findings.ts';
import { type Directive, parse } from './parse.ts';
import { addedHeaders, type Matched, passed, proxied } from './proxy.ts';
import type { Inherited, Settings } from './settings.ts';

export type Place = {
  matched: Matched;
  lines: readonly string[];
  /** Whether some requests are refused there. */
  refuses: boolean;
  /** Whether it forwards: then nginx adds the slash that its path ends in. */
  forwards: boolean;
};

/** What a location matches; null if it cannot be said. */
export function matchedBy(args: readonly string[]): Matched | null {
  const joined = args.length === 1 ? /^(=|\^~|)(.*)$/s.exec(args[0] ?? '') : null;
  const [modifier = '', path = '', ...more] = joined ? joined.slice(1) : args;
  if (more.length > 0) return null;
  if (!/^(?:=|\^~|)$/.test(modifier) || !/^\/\P{Cc}*$/u.test(path) || !path.isWellFormed())
    return null;
  return { modifier: modifier as Matched['modifier'], path };
}

/** What comes before anything else in a server or a location. */
type Rules = {
  /** What answers; null: no `return` does. */
  end: string | null;
  /** What changes the path; null: nothing does. */
  change: string | null;
};

export function rulesOf(
  rules: readonly Directive[],
  isServer: boolean,
  { cannot }: Findings,
): Rules {
  const [first, ...more] = rules;
  if (first === undefined) return { end: null, change: null };
  const { name, args } = first;
  const end = name === 'return' ? returned(args) : null;
  const change = name === 'rewrite' && !isServer && more.length === 0 ? rewritten(args) : null;
  if (end === null && change === null) cannot([name, ...args].join(' '));
  return { end, change };
}

/** It also goes for the policies of the site. */
export const ACCESS_FIRST =
  'In nginx, return comes before any rule of access. Here the rules of access come first.';

/** @param isCustom whether it is one of Nginx Proxy Manager's, which send the Host that was asked for */
export function placeOf(
  matched: Matched,
  settings: Settings,
  isCustom: boolean,
  { stripsAuthorization }: { stripsAuthorization: boolean },
  upstream: string | null,
  findings: Findings,
): Place {
  const { end, change } = rulesOf(settings.rules, false, findings);
  const access = denied(settings.access, findings);
  if (access.lines.length > 0 && end !== null) findings.remark('warning', ACCESS_FIRST);
  const target = settings.pass?.args[0];
  const to = target === undefined ? null : passed(target, matched, upstream);
  // nginx takes either what a rewrite makes of the path, or what the proxy_pass does.
  const isTwice =
    change !== null && (to?.change.length !== 0 || /\$request_uri$/.test(target ?? ''));
  if (target !== undefined && end === null && (!to || isTwice)) {
    findings.cannot(`proxy_pass ${target}`);
  }
  const answer =
    end !== null
      ? [end]
      : to
        ? [
            ...(change === null ? to.change : [change]),
            ...proxied(to.service, settings, isCustom, stripsAuthorization, findings),
          ]
        : ['respond 404'];
  const isOrdered = access.lines.length > 0 && !access.isAll && end !== null;
  const rest = access.isAll ? [] : answer;
  const content = [...access.lines, ...rest];
  const type = end?.startsWith('respond ') ? settings.type : null;
  return {
    matched,
    lines: [
      ...(type === null ? [] : [`header Content-Type ${type}`]),
      ...addedHeaders(settings.addHeaders, findings),
      ...sizeOf(settings),
      ...(isOrdered ? ['route {', ...tabbed(content), '}'] : content),
    ],
    refuses: content.some((line) => /^\t*abort|^\t*respond .*\b[45]\d\d$/.test(line)),
    forwards: target !== undefined,
  };
}

/** The limit of a body; nginx counts by 1024. */
export function sizeOf({ size }: Inherited): string[] {
  const [, digits = '0', unit = ''] = /^0*(\d+)([kmg]?)$/i.exec(size ?? '') ?? [];
  if (Number(digits) === 0) return [];
  const suffix = unit === '' ? 'B' : `${unit.toUpperCase()}iB`;
  return ['request_body {', `\tmax_size ${digits}${suffix}`, '}'];
}

const listed = (addresses: readonly string[]): string =>
  written(addresses.flatMap((address) => readNetworks(address) ?? [])).join(' ');

/** A named matcher. */
const matcher = (name: string, conditions: readonly string[]): string[] =>
  conditions.length === 1
    ? [`@${name} ${conditions[0]}`]
    : [`@${name} {`, ...tabbed(conditions), '}'];

/** What refuses the addresses that `allow` and `deny` do, of which the first one that matches counts. */
function denied(
  rules: AccessList['clients'],
  { name }: Findings,
): { lines: string[]; isAll: boolean } {
  const lines: string[] = [];
  const allowed: string[] = [];
  for (const { directive, address } of rules) {
    if (directive === 'allow') {
      if (address === 'all') break;
      allowed.push(address);
      continue;
    }
    const conditions = [
      ...(address === 'all' ? [] : [`remote_ip ${listed([address])}`]),
      ...(allowed.length === 0 ? [] : [`not remote_ip ${listed(allowed)}`]),
    ];
    if (conditions.length === 0) return { lines: [...lines, 'respond 403'], isAll: true };
    const denied = name('denied');
    lines.push(...matcher(denied, conditions), `respond @${denied} 403`);
    if (address === 'all') break;
  }
  return { lines, isAll: false };
}

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
