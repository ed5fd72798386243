/** The states of the sites, who signs their certificates, and how they answer, or would. */
import { Elysia, type Static } from 'elysia';
import { jsonText } from '../../src/shared/http.ts';
import {
  ChecksAnswer,
  ChecksRequest,
  RoundRequest,
  TrialRequest,
} from '../../src/shared/wire/checks.ts';
import { AgentErrorBody } from '../../src/shared/wire/protocol.ts';
import { AdaptRequest } from '../../src/shared/wire/proxy.ts';
import {
  AuthoritiesAnswer,
  CertificatesAnswer,
  RootAnswer,
  type SitesAnswer,
  SitesRequest,
} from '../../src/shared/wire/sites.ts';
import type { Authorities } from './authorities.ts';
import type { Checks } from './checks/checks.ts';
import type { Rounds } from './checks/rounds.ts';
import type { TryOut } from './checks/trial.ts';
import type { ProxyState } from './proxy-state.ts';

export type SiteRoutesDeps = {
  state: ProxyState;
  authorities: Authorities;
  checks: Checks;
  rounds: Rounds;
  tryOut: TryOut;
};

const unreachable = { 502: AgentErrorBody };
const refusals = { 400: AgentErrorBody, ...unreachable };

/** Mount them after the guard and `jsonBody`. */
export function siteRoutes({ state, authorities, checks, rounds, tryOut }: SiteRoutesDeps) {
  return new Elysia({ name: 'sites' })
    .post(
      '/proxy/sites',
      async ({ body }) => {
        const answer: Static<typeof SitesAnswer> = { sites: await state.sites(body.names, body) };
        // Without a schema, which would have Elysia copy each of 10,000 sites.
        return jsonText(JSON.stringify(answer));
      },
      { body: SitesRequest },
    )
    .get('/proxy/certificates', async () => ({ sites: await state.certificates() }), {
      response: { 200: CertificatesAnswer, ...unreachable },
    })
    .get('/proxy/root', async () => ({ certificate: await authorities.root() }), {
      response: { 200: RootAnswer, ...unreachable },
    })
    .post('/proxy/authorities', ({ body }) => authorities.of(body.proxyfile), {
      body: AdaptRequest,
      response: { 200: AuthoritiesAnswer, ...refusals },
    })
    .post(
      '/proxy/checks',
      async ({ body, request }) => ({ answers: await checks.run(body, request.signal) }),
      { body: ChecksRequest, response: { 200: ChecksAnswer, ...refusals } },
    )
    .post(
      '/proxy/round',
      async ({ body, request }) => ({ answers: await rounds.run(body, request.signal) }),
      { body: RoundRequest, response: { 200: ChecksAnswer, ...refusals } },
    )
    .post(
      '/proxy/trial',
      async ({ body, request }) => ({ answers: await tryOut(body, request.signal) }),
      { body: TrialRequest, response: { 200: ChecksAnswer, ...refusals } },
    );
}
