/** Where the proxy listens; if that is not ports 80 and 443, why, and what fixes it. Pure. */
import { type Static, t } from 'elysia';
import { findOption, portOptions } from '../../shared/caddyfile/globals.ts';
import { integer } from '../../shared/integer.ts';
import type { ProxyStatus } from '../../shared/wire/proxy.ts';
import { type Holder, type PortState, STANDARD_PORTS } from '../../shared/wire/proxy.ts';

const schemaOf = (wanted: number) =>
  t.Object({
    port: integer({ description: 'where the proxy listens, or would for a site that needs it' }),
    wanted: integer({ examples: [wanted] }),
    reason: t.Union([t.String(), t.Null()], {
      description: `why the port is not ${wanted}, or not open; null if all is well`,
    }),
    blocked: t.Boolean({ description: 'whether something is in the way, or the port is not open' }),
  });

export const Serving = t.Object({
  http: schemaOf(STANDARD_PORTS.http),
  https: schemaOf(STANDARD_PORTS.https),
  cure: t.Union([t.String(), t.Null()], {
    description: 'the next command to run, on the proxy’s machine; null if none is needed',
  }),
});
export type Serving = Static<typeof Serving>;

type Scheme = keyof typeof STANDARD_PORTS;
const SCHEMES = ['http', 'https'] as const;

/** Moves the proxy to ports 80 and 443. */
export const MOVE = 'signalbox ports --standard';

/** Without a restart, and for good: what `setcap` does is lost when Caddy is upgraded. */
const ALLOW =
  'echo net.ipv4.ip_unprivileged_port_start=80 | sudo tee /etc/sysctl.d/50-signalbox.conf && sudo sysctl -p /etc/sysctl.d/50-signalbox.conf';

type ServingFacts = {
  preamble: string;
  /** As the agent reported it. */
  closed: ProxyStatus['closed'];
  /** Empty if they are not known. */
  ports: readonly PortState[];
};

/** Whether the ports of other programs matter: the proxy is not on both standard ports. */
export const needsPorts = ({ preamble, closed }: Omit<ServingFacts, 'ports'>): boolean =>
  SCHEMES.some((scheme) => {
    const port = portOptions(preamble)[scheme];
    return port !== STANDARD_PORTS[scheme] || closedReason(closed, port) !== undefined;
  });

/** @returns null if it cannot be known, because the ports come from the proxy's environment */
export function servingOf(facts: ServingFacts): Serving | null {
  const { preamble, closed, ports } = facts;
  if (SCHEMES.some((scheme) => isOpenText(preamble, scheme))) return null;
  const options = portOptions(preamble);
  const stateOf = (scheme: Scheme) => ports.find(({ port }) => port === STANDARD_PORTS[scheme]);
  const listenerOf = (scheme: Scheme) => {
    const port = options[scheme];
    const wanted = STANDARD_PORTS[scheme];
    const whyNot = closedReason(closed, port);
    if (port === wanted && whyNot === undefined)
      return { port, wanted, reason: null, blocked: false };
    const obstacle = obstacleOf(stateOf(scheme));
    if (obstacle !== null) return { port, wanted, reason: obstacle, blocked: true };
    const chosen = `the global option ${scheme}_port is ${port}`;
    const free = stateOf(scheme)?.state === 'free' ? `${wanted} is free, but ${chosen}` : chosen;
    if (whyNot === undefined) return { port, wanted, reason: free, blocked: false };
    return { port, wanted, reason: `${port} is not open: ${whyNot}`, blocked: true };
  };
  const listeners = { http: listenerOf('http'), https: listenerOf('https') };
  const wanting = SCHEMES.filter((scheme) => listeners[scheme].reason !== null);
  const isMoved = SCHEMES.some((scheme) => options[scheme] !== STANDARD_PORTS[scheme]);
  const states = wanting.flatMap((scheme) => stateOf(scheme) ?? []);
  const mayMove = isMoved && states.every(({ state }) => state !== 'held');
  return { ...listeners, cure: cureOf(states) ?? (mayMove ? MOVE : null) };
}

/** Whether the port is a placeholder, which only the proxy can fill in. */
function isOpenText(preamble: string, scheme: Scheme): boolean {
  const option = findOption(preamble, `${scheme}_port`);
  return option !== undefined && preamble.slice(option.start, option.end).includes('{');
}

const closedReason = (closed: ProxyStatus['closed'], port: number): string | undefined =>
  closed?.find((one) => one.port === port && !one.address.startsWith('udp/'))?.reason;

/** `80 is held by caddy (pid 812, caddy.service)`; null if nothing is in the way. */
export function obstacleOf(state: PortState | undefined): string | null {
  if (state?.state === 'forbidden') {
    return `${state.port} is forbidden: the user that Caddy runs as may not open ports below 1024`;
  }
  if (state?.state !== 'held') return null;
  const names = state.holders.map(({ name, pid, unit, kept }) => {
    const more = unit === null ? '' : `, ${unit}`;
    return `${name} (pid ${pid}${more})${kept ? ', which another agent keeps' : ''}`;
  });
  return `${state.port} is held by ${names.join(' and ') || 'another program'}`;
}

/** The one command that removes what is in the way; null if nothing is. */
export function cureOf(states: readonly PortState[]): string | null {
  const held = states.filter(({ state }) => state === 'held');
  const holders = held.flatMap((state) => state.holders);
  if (held.length > 0) return holders.length > 0 ? stopping(holders) : finding(held);
  return states.some(({ state }) => state === 'forbidden') ? ALLOW : null;
}

function stopping(holders: readonly Holder[]): string | null {
  // It would be started again, and serves sites.
  if (holders.some(({ kept }) => kept)) return null;
  // Stopping its service would stop all containers.
  if (holders.some(({ name }) => name === 'docker-proxy')) {
    return 'docker ps --filter publish=80 --filter publish=443';
  }
  const units = new Set(holders.flatMap(({ unit }) => unit ?? []));
  if (units.size === 0) return `sudo kill ${[...new Set(holders.map(({ pid }) => pid))].join(' ')}`;
  const names = [...units].map((unit) => unit.replace(/\.service$/, ''));
  return `sudo systemctl disable --now ${names.join(' ')}`;
}

const finding = (held: readonly PortState[]): string =>
  `sudo ss -ltnp '${held.map(({ port }) => `sport = :${port}`).join(' or ')}'`;

/**
 * That of the agent that needs attention most, whose label its reasons have.
 * @param all each with its label as `labelOf` has it
 */
export function worstServing(
  all: readonly { label?: string | undefined; serving: Serving | null }[],
): Serving | null {
  const known = all.flatMap(({ label, serving }) => (serving === null ? [] : { label, serving }));
  const has = (test: (one: Serving['http']) => boolean) =>
    known.find(({ serving: { http, https } }) => test(http) || test(https));
  const worst = has(({ blocked }) => blocked) ?? has(({ reason }) => reason !== null) ?? known[0];
  if (!worst) return null;
  const { label, serving } = worst;
  if (label === undefined) return serving;
  const named = ({ reason, ...rest }: Serving['http']) => ({
    ...rest,
    reason: reason === null ? null : `${label}: ${reason}`,
  });
  return { ...serving, http: named(serving.http), https: named(serving.https) };
}

/** In sentences for a person at a terminal, one per line. */
export function linesOf({ http, https, cure }: Serving): string[] {
  const where = `Caddy's ports are ${http.port} for HTTP and ${https.port} for HTTPS`;
  const reasons = [...new Set([http, https].flatMap(({ reason }) => reason ?? []))];
  if (reasons.length === 0) return [`${where}.`];
  return [
    `${where}.`,
    ...reasons.map((reason) => `  ${reason}.`),
    'Public certificates can only be obtained if ports 80 and 443 lead to these, or over DNS.',
    ...(cure === null ? [] : [`${cure === MOVE ? 'To move' : 'To fix it'}: ${cure}`]),
  ];
}
