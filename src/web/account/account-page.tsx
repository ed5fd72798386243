/** The account page: your own account, and everyone else who has one. */
import { useState } from 'preact/hooks';
import { PasswordCard } from './password-card.tsx';
import { SessionsCard } from './sessions-card.tsx';
import { TokensCard } from './tokens-card.tsx';
import { UsersCard } from './users-card.tsx';

export function AccountPage() {
  const [changes, setChanges] = useState(0);
  return (
    <>
      <div class="page-head row">
        <h1>Account</h1>
      </div>
      <div class="cards">
        <PasswordCard onChanged={() => setChanges((count) => count + 1)} />
        <SessionsCard changes={changes} />
        <TokensCard />
        <UsersCard />
      </div>
    </>
  );
}
