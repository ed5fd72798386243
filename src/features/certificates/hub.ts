/** What a hub does with certificates that it keeps: takes uploads, orders by DNS, renews, and reports if that fails. */
import { join } from 'node:path';
import { Elysia } from 'elysia';
import type { HubCore, HubPart } from '../../hub/core.ts';
import type { Problem } from '../../hub/watch/problem.ts';
import { keptRoutes } from './kept-routes.ts';
import { createLego, type LegoSettings } from './lego/lego.ts';
import { orderRoutes } from './order-routes.ts';
import { createRenewals, type FailedRenewal } from './renewals.ts';
import { createSealedCertificates } from './sealed.ts';

/** Milliseconds. */
const PACE = {
  /** From one look at which are due to the next. */
  every: 60_000,
  /** Before the second attempt; doubled with each further one, up to the longest. */
  firstPause: 3_600_000,
  longestPause: 86_400_000,
};

export function hub(core: HubCore, settings: LegoSettings): HubPart {
  const certificates = createSealedCertificates(core.sealing);
  const lego = createLego(settings, join(core.dataDir, 'lego'), core.log);
  const pace = core.paced('certificates', PACE);
  const renewals = createRenewals(core, lego, certificates, pace);
  return {
    routes: (api) =>
      new Elysia({ name: 'kept-certificates-and-orders' })
        .use(keptRoutes(api, certificates, renewals))
        .use(orderRoutes(api, certificates, lego, renewals)),
    problems: () => failedRenewals([...renewals.failed().values()]),
    begin: renewals.begin,
    async end() {
      renewals.end();
      await lego.end();
    },
  };
}

/** In words that stay the same while it fails for the same reason; the reason is a sentence. */
const failedRenewals = (all: readonly FailedRenewal[]): Problem[] =>
  all.map(({ name, error }) => ({
    code: 'RENEWAL_FAILED',
    level: 'warn',
    part: `certificate ${name}`,
    message: `The certificate ${name} was not renewed: ${error}`,
  }));
