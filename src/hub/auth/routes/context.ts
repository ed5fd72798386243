/** What the routes of this folder work with; the hub makes it once, and each takes what it needs. */
import type { Accounts } from '../accounts/accounts.ts';
import type { Directory } from '../accounts/directory.ts';
import type { Invitations } from '../accounts/invitations.ts';
import type { LocalCheck } from '../client.ts';
import type { FactorSetup } from '../factors/factor-setup.ts';
import type { PasskeySignIn } from '../factors/passkey-sign-in.ts';
import type { Passkeys } from '../factors/passkeys.ts';
import type { SecondFactor } from '../factors/second-factor.ts';
import type { SessionGuard } from '../guard.ts';
import type { LinkedAccounts } from '../oidc/linked-accounts.ts';
import type { OidcSignIn } from '../oidc/sign-in.ts';
import type { SessionCookies } from '../sessions/cookie.ts';
import type { Tokens } from '../tokens/tokens.ts';

export type AuthContext = {
  accounts: Accounts;
  directory: Directory;
  invitations: Invitations;
  tokens: Tokens;
  factorSetup: FactorSetup;
  secondFactor: SecondFactor;
  passkeys: Passkeys;
  passkeySignIn: PasskeySignIn;
  linked: LinkedAccounts;
  /** Null: there is no sign-in service. */
  oidc: OidcSignIn | null;
  guard: SessionGuard;
  cookies: SessionCookies;
  isLocal: LocalCheck;
  addressOf: (request: Request) => string;
  /** Of the hub, as a browser names it. */
  originOf: (request: Request) => string;
  /** Bytes. */
  bodyLimit: number;
};
