/** How often the agent asks a container engine. */

/** Milliseconds. */
export const PACE = {
  /** Without events, which a proxy of its socket may not let through. */
  poll: 2_000,
  /** With them: they may end in silence, and the agent's own addresses may change. */
  every: 30_000,
  /** After an event: a container that starts has several. */
  soon: 250,
  /** Until an engine that does not answer is asked again, by how often that was in vain. */
  backoff: [1_000, 2_000, 5_000, 10_000],
};
