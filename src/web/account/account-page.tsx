/** One's own account, and who else has one. */
import { PasswordCard } from './password-card.tsx';
import { SessionsCard } from './sessions-card.tsx';
import { TokensCard } from './tokens-card.tsx';
import { UsersCard } from './users-card.tsx';

export function AccountPage() {
  return (
    <>
      <div class="page-head">
        <h1>Account</h1>
      </div>
      <div class="cards">
        <PasswordCard />
        <SessionsCard />
        <TokensCard />
        <UsersCard />
      </div>
    </>
  );
}
