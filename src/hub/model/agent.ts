/** An agent as it is stored. */

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

/** The order of the agents of a set. */
export const firstThenByName = (a: StoredAgent, b: StoredAgent): number => {
  if (a.id === FIRST_AGENT || b.id === FIRST_AGENT) return a.id === FIRST_AGENT ? -1 : 1;
  return a.name < b.name ? -1 : 1;
};
