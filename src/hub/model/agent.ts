/** An agent as it is stored, and what it may be called. Pure. */
import { Failure } from '../../shared/failure.ts';

/** As in the database. The first one, whose address the settings have, has neither URL nor fingerprint. */
export type StoredAgent = Readonly<{
  id: number;
  name: string;
  url: string | null;
  fingerprint: string | null;
  generation: number;
  paused: boolean;
  /** Instead of the common preamble; null: that one. */
  preamble: string | null;
  createdAt: Date;
  updatedAt: Date;
}>;

/** The id of the agent that the settings name. */
export const FIRST_AGENT = 1;

/**
 * How texts say which of a hub's agents something is about. The only one needs no name: it is
 * "Caddy", and one of several "Caddy on NAME".
 * @returns undefined for the only one
 */
export const labelOf = (
  id: number,
  agents: readonly Pick<StoredAgent, 'id' | 'name'>[],
): string | undefined =>
  agents.length > 1 ? agents.find((agent) => agent.id === id)?.name : undefined;

/** The order of the agents of a set. */
export const firstThenByName = (a: StoredAgent, b: StoredAgent): number => {
  if (a.id === FIRST_AGENT || b.id === FIRST_AGENT) return a.id === FIRST_AGENT ? -1 : 1;
  return a.name < b.name ? -1 : 1;
};

/** Of agents and policies. */
const NAME = /^[a-z0-9-]{1,40}$/;

export const isName = (text: string): boolean => NAME.test(text);

/** @throws Failure INVALID_REQUEST */
export function assertName(name: string): void {
  if (isName(name)) return;
  const message = 'A name has 1 to 40 lower-case letters, digits and hyphens.';
  throw new Failure('INVALID_REQUEST', message, { at: { field: 'name' } });
}
