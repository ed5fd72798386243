/** What a hub does with certificates that it keeps: takes uploads, orders by DNS, renews, and reports if that fails. */
import { join } from 'node:path';
import { Elysia } from 'elysia';
import type { HubCore, HubPart } from '../../hub/core.ts';
import type { Problem } from '../../hub/watch/problem.ts';
import { keptRoutes } from './kept-routes.ts';
import { createLego, type LegoDeps } from './lego/lego.ts';
import { orderRoutes } from './order-routes.ts';
import { createRenewals, type FailedRenewal } from './renewals.ts';
import { createSealedCertificates } from './sealed.ts';

/** Milliseconds. */
export const PACE = {
  /** From one look at which are due to the next. */
  every: 60_000,
  /** Before the second attempt; doubled with each further one, up to the longest. */
  firstPause: 3_600_000,
  longestPause: 86_400_000,
};

/** @param settings with what lets lego reach the hub on this machine */
export function hub(
  core: HubCore,
  settings: Pick<LegoDeps, 'bin' | 'directory' | 'roots' | 'listenBriefly'>,
): HubPart {
  const { db, publisher, sealing, dataDir, paced, now, log } = core;
  const certificates = createSealedCertificates(sealing);
  const lego = createLego({ ...settings, folder: join(dataDir, 'lego'), log });
  const pace = paced('certificates', PACE);
  const renewals = createRenewals({ db, publisher, lego, certificates, pace, now, log });
  return {
    routes: (api) =>
      new Elysia({ name: 'kept-certificates-and-orders' })
        .use(keptRoutes({ ...api, certificates, renewals }))
        .use(orderRoutes({ ...api, certificates, lego, renewals })),
    problems: () => failedRenewals([...renewals.failed().values()]),
    begin: renewals.begin,
    async end() {
      renewals.end();
      await lego.stop();
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
