/** What a fault of the house is: how it comes about, what an explanation must say of it, and how it ends. */
import type { Cause } from '../../../../src/features/explain/words.ts';
import { httpPort, type Stops } from '../services/listening.ts';

export type Site = {
  /** Without: `http://site-N.example`. */
  domain?: string;
  config: string;
  upstream?: string;
  policies?: string[];
};

export type Stage = {
  site: Site;
  /** What a visitor asks for; without: `/`. */
  path?: string;
  /** Does at the service what the words of the cure say, if the cure is not a change of the site. */
  mend?: () => unknown;
  /** What somebody makes of the site once they have read the cure. */
  instead?: Partial<Site>;
  /** Asks as a visitor does, if that is no plain request. @returns the status; 0: no answer */
  visit?: () => Promise<number>;
  /** Whether the explanation waits until the authority has answered. */
  isSettledBy?: 'acme';
};

/** Where faults are staged. */
export type Place = {
  stops: Stops;
  /** For files; Caddy may read them. */
  folder: string;
  /** The ports of the Caddy that serves the sites. */
  httpPort: number;
  httpsPort: number;
  /** Adds another site. */
  add(site: Site): Promise<unknown>;
  /** Adds a policy. @returns its name */
  policy(recipe: string, values: object): Promise<string>;
};

/** The usual site: it forwards everything to one address. */
export const forwarding = (upstream: string): Site => ({
  config: 'reverse_proxy {upstream}',
  upstream,
});

/** A person's usual cure: the site leads to where the service really is. */
export const leadingTo = (stops: Stops): Partial<Site> =>
  forwarding(`127.0.0.1:${httpPort(stops, () => new Response('up'))}`);

export type Fault = {
  name: string;
  /** Why it cannot be staged here, such as a program that is missing. */
  missing?: string | false;
  cause: Cause;
  /** What the words of the explanation, or of its cure, must name for somebody to find the fault. */
  names?: RegExp;
  /** Whether the cure is a change that signalbox can make. */
  hasOperation: boolean;
  /** What the answer to its creation may say instead of the cause, which it may not have in time. */
  warned?: string;
  /** Whether no visitor is tried before the cure: some get their page, or they wait for ever. */
  isSilent?: boolean;
  stage(place: Place): Stage | Promise<Stage>;
};
