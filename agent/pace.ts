/**
 * Every interval of the agent, in milliseconds: how often it acts on its own, how long it waits
 * before it tries again, and how long it believes what it has seen. The composition root hands them
 * in; tests hand in a tenth. How long Caddy or an upstream may take to answer is a deadline, and stands
 * where it is asked; so does what keeps a stream alive.
 */
export const PACE = {
  /** The Caddy that the agent runs. */
  supervise: {
    /** Between two looks at whether it runs. */
    poll: 500,
    /** Until it is started again, by how often that was in vain. */
    backoff: [200, 500, 1_000, 2_000, 5_000, 10_000, 30_000],
    /** After running this long it counts as healthy, and the backoff starts over. */
    healthy: 60_000,
    /** From one question to the next whether its admin endpoint answers. */
    ask: 5_000,
    /** It is mute if it has not answered for so long. */
    mute: 15_000,
    /** What fails again and again is logged this often. */
    say: 60_000,
    /** If a new program ends within that time, the one before runs again. */
    probation: 60_000,
  },
  /** To see whether a closed port is free takes microseconds, and Caddy is only asked once it is. */
  reopen: {
    every: 1_000,
    /** For a port that Caddy cannot open although it is free: each attempt may cost a restart. */
    longest: 60_000,
  },
  /** A removed access log is back, and reported, within a minute. */
  accessLog: 20_000,
  /** Caddy's storage is synced. */
  storage: {
    every: 10_000,
    /** After a load: by then Caddy has made the certificates of what was loaded. */
    soon: 500,
  },
  /** The sites of the live configuration. */
  live: {
    every: 10_000,
    /** Several reloads in a row are looked at once. */
    soon: 1_000,
  },
  /** Between two probes of an upstream; see `sites/upstreams/prober.ts` for what follows from it. */
  probe: 30_000,
  /** How long a handshake counts. */
  certificates: {
    /** Not the time until a change shows: a reload or a renewal makes names due. */
    good: 300_000,
    /** After a failed one; doubled with each further failure. */
    failed: 5_000,
    /** The hub reports within a minute that a name has a certificate again. */
    failedMost: 20_000,
    /** The same for one that is replaced when it was about to expire, or had: nobody says when that is. */
    ending: 15_000,
  },
  /** How long Caddy's figures of its upstreams count: it logs each request for them. */
  upstreams: 5_000,
  /** How long an address of an upstream's name counts. */
  names: {
    found: 60_000,
    /** Shorter, so that a new name is found soon. */
    missing: 15_000,
  },
  /** Rolled segments of the access log are packed, and deleted. */
  keeper: {
    every: 10_000,
    /** From the announcement at the start to the first deletion: time to correct a setting. */
    grace: 600_000,
  },
  /** What the intervals of features, which have their own, are multiplied by. */
  share: 1,
};

export type Pace = typeof PACE;
