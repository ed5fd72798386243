/** What the routes of this folder work with; the hub makes it once, and each takes what it needs. */
import type { Accounts } from '../accounts/accounts.ts';
import type { Directory } from '../accounts/directory.ts';
import type { Invitations } from '../accounts/invitations.ts';
import type { LocalCheck } from '../client.ts';
import type { SessionGuard } from '../guard.ts';
import type { SessionCookies } from '../sessions/cookie.ts';
import type { Tokens } from '../tokens/tokens.ts';

export type AuthContext = {
  accounts: Accounts;
  directory: Directory;
  invitations: Invitations;
  tokens: Tokens;
  guard: SessionGuard;
  cookies: SessionCookies;
  isLocal: LocalCheck;
  addressOf: (request: Request) => string;
  /** Of the hub, as a browser names it. */
  originOf: (request: Request) => string;
  /** Bytes. */
  bodyLimit: number;
};
