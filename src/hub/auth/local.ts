/** Which requests must come from the hub's own machine, and so need no setup code. Pure. */
import { isAskedHere, isLoopbackHost } from '../../shared/loopback.ts';

export type LocalRules = {
  /** Whether the hub listens on loopback only. */
  loopback: boolean;
  /** Whether a proxy in front of the hub is trusted. */
  trustProxy: boolean;
  /** The hosts that the hub answers to; empty: any. */
  hosts: readonly string[];
};

export type LocalCheck = (request: Request) => boolean;

/** Where a proxy is to be expected, no request counts as local: what it passes on may look so. */
export function createLocalCheck({ loopback, trustProxy, hosts }: LocalRules): LocalCheck {
  const isAlone = loopback && !trustProxy && hosts.every(isLoopbackHost);
  return ({ headers }) => isAlone && isAskedHere(headers);
}
