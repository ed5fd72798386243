/** No release with an old table of Caddy's security advisories: it would warn of too little from its first day. */
import { ADVISORIES_AS_OF, advisoriesOldAt, FRESH_DAYS } from '../../src/shared/advisories.ts';

/** @throws Error if the table is older than 60 days */
export function assertFresh(now: Date): void {
  if (now < advisoriesOldAt()) return;
  throw new Error(
    `the table of Caddy's advisories is of ${ADVISORIES_AS_OF}, more than ${FRESH_DAYS} days old: bring src/shared/advisories.ts up to date`,
  );
}
