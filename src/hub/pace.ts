/**
 * Every interval of the hub, in milliseconds: how often it acts on its own, and how long it waits
 * before it believes something or tries again. The composition root hands them in; tests hand in a
 * tenth. How long another program may take to answer is a deadline, and stands where it is asked; so
 * does what keeps a call or a stream alive.
 */
export const PACE = {
  /** The watcher of what breaks by itself. */
  watch: {
    /** With two more looks to be sure, an incident is known within 15 s of when the hub could see it. */
    every: 5_000,
    /** How long it has to last, or to be away: three looks. What a restart brings is over by then. */
    settles: 10_000,
    /** A name without a certificate may get one at any moment, unless an authority has refused. */
    certificateSettles: 40_000,
    /** A single request that fails counts for a minute, if the agent can connect. */
    requestsSettle: 75_000,
    /** A check that fails was wrong twice already. */
    checkSettles: 0,
    /** One that begins for the third time within this flaps, until it has been away, or there, for as long. */
    flapping: 600_000,
    /** Looks are not exactly as far apart as they should be. */
    tolerance: 1_000,
  },
  /** Between two comparisons of a proxy with what is stored. */
  reconcile: 2_000,
  /** Until a site that the proxy refuses is tried again: doubled each time, up to the longest. */
  leftOut: {
    /** A validation of a few takes some 20 ms. */
    first: 2_000,
    longest: 15_000,
    /** For those that only fail when they are loaded: that may cost a restart of the proxy. */
    longestLoad: 600_000,
  },
  /** How long to leave live what keeps replacing this hub's configuration: doubled each time. */
  contention: {
    first: 4_000,
    longest: 60_000,
    /** Longer than the longest wait: two that take turns are not calm. */
    calm: 600_000,
  },
  /** The states of sites, for a status that many poll. */
  recentSites: {
    /** An answer costs agent and proxy more than the rest of a status: at every other look of the watcher. */
    every: 8_000,
    /** A slow agent is asked one question at a time, and its last answer counts for this long. */
    kept: 60_000,
  },
  /** After a start or a change, what has not been looked at is still being checked; then it is simply not known. */
  checking: 60_000,
  /** Several open dashboards share one count of requests for this long. */
  activity: 5_000,
  /** The same for the counts of a day or a month: their last bar is minutes long. */
  strips: 60_000,
  /** Between two attempts to open an unusable database. */
  standby: 2_000,
  /** What the intervals of features, which have their own, are multiplied by. */
  share: 1,
};

/** `own`: intervals of features that are others, by the feature. */
export type Pace = typeof PACE & { own?: Readonly<Record<string, object>> };
