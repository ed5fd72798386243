/** The host names of a site, as the access log has them. Pure. */
import { siteNames } from '../logs/filters.ts';

/** None for a site that serves patterns or any host. @param domain an imported site may have several */
export const hostsOf = (domain: string): string[] =>
  siteNames(domain.split(/[\s,]+/).map((one) => ({ domain: one })));
