/** What a hub does beside passwords: it asks for codes, accepts passkeys, and sends browsers to a sign-in service. */
import { eq } from 'drizzle-orm';
import { Elysia } from 'elysia';
import { countFailures } from '../../hub/auth/accounts/count-sign-ins.ts';
import type { ApiCore, HubCore, HubPart } from '../../hub/core.ts';
import { users } from '../../hub/db/accounts-schema.ts';
import { type Challenges, createChallenges } from './challenges.ts';
import { createLinkedAccounts } from './oidc/linked-accounts.ts';
import { linkedRoutes } from './oidc/linked-routes.ts';
import { oidcRoutes } from './oidc/routes.ts';
import { createService, type OidcSettings } from './oidc/service.ts';
import { createOidcSignIn } from './oidc/sign-in.ts';
import { createPasskeySignIn } from './passkeys/passkey-sign-in.ts';
import { createPasskeys } from './passkeys/passkeys.ts';
import { byPasskey } from './passkeys/proof.ts';
import { passkeyRoutes } from './passkeys/routes.ts';
import { passkeySignInRoutes } from './passkeys/sign-in-routes.ts';
import { createFactorSetup } from './second-factor/factor-setup.ts';
import { byCode } from './second-factor/proof.ts';
import { twoFactorRoutes } from './second-factor/routes.ts';
import { createSecondFactor } from './second-factor/second-factor.ts';
import { verifyRoutes } from './second-factor/verify-routes.ts';

/** @param settings of the sign-in service; null: there is none */
export function hub(core: HubCore, settings: OidcSettings | null): HubPart {
  const challenges = createChallenges(core);
  const linked = createLinkedAccounts(core);
  const secondFactor = createSecondFactor(core, challenges);

  function oidcOf(api: ApiCore) {
    if (settings === null) return null;
    const redirectUri = () => `${api.origins()[0]}/api/auth/callback/oidc`;
    const service = createService(settings, redirectUri, api.now);
    return createOidcSignIn(api, service, linked, challenges);
  }

  return {
    beginSecondHalf: secondFactor.begin,
    linked: linked.list,
    proofs: (api) => [byCode(secondFactor), byPasskey(createPasskeySignIn(api, challenges))],
    page: { service: settings?.name ?? '' },
    routes(api) {
      const { signInFailed } = api;
      const byEmail = countFailures(secondFactor.signIn, emailIn(core, challenges), signInFailed);
      const passkeySignIn = createPasskeySignIn(api, challenges);
      // Nobody says who they are before a passkey is accepted.
      const byNobody = countFailures(passkeySignIn.signIn, () => '', signInFailed);
      const oidc = oidcOf(api);
      return new Elysia({ name: 'sign-in' })
        .use(verifyRoutes(api, { ...secondFactor, signIn: byEmail }))
        .use(passkeySignInRoutes(api, { ...passkeySignIn, signIn: byNobody }))
        .use(oidcRoutes(api, oidc))
        .use(linkedRoutes(api, oidc, linked))
        .use(twoFactorRoutes(api, createFactorSetup(api)))
        .use(passkeyRoutes(api, createPasskeys(api, challenges)));
    },
  };
}

/** The email address of whoever began a sign-in. */
const emailIn =
  ({ db }: Pick<HubCore, 'db'>, challenges: Challenges) =>
  ({ challenge }: { challenge: string | null }): string => {
    const byId = eq(users.id, challenges.find('two_factor', challenge)?.userId ?? '');
    return db.select({ email: users.email }).from(users).where(byId).get()?.email ?? '';
  };
