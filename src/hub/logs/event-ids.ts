/** The ids of the events of a tail, of one agent or of several. Pure. */

/** Where the log of each agent was read to, by the agent's id; in the agent's words. */
export type Positions = ReadonlyMap<number, string>;

/** An id of one agent's event, and one of several: `1:6b0c4b7d1f6a9e35-10240,2:…`. */
const POSITION = '[0-9a-f]{16}-[0-9]{1,15}';
const OF_AGENT = `[1-9][0-9]{0,14}:${POSITION}`;
export const EVENT_ID = `${POSITION}|${OF_AGENT}(,${OF_AGENT})*`;

const VALID = new RegExp(`^(${EVENT_ID})$`);

/**
 * Reads an id; undefined if it is not one.
 * @param first whose position it is if it does not say so
 */
export function parseEventId(text: string, first: number): Positions | undefined {
  if (!VALID.test(text)) return undefined;
  return new Map(
    text.split(',').map((part): [number, string] => {
      const [agent, position] = part.split(':');
      return position === undefined ? [first, part] : [Number(agent), position];
    }),
  );
}

export const formatEventId = (positions: Positions): string =>
  [...positions].map(([agent, position]) => `${agent}:${position}`).join(',');
