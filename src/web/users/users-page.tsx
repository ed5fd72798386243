/** The page for owners: who has an account, what they may do, where they are signed in, and who is invited. */
import { InvitationsCard } from './invitations-card.tsx';
import { UsersCard } from './users-card.tsx';

export const UsersPage = () => (
  <>
    <h1>Users</h1>
    <div class="cards stack">
      <UsersCard />
      <InvitationsCard />
    </div>
  </>
);
