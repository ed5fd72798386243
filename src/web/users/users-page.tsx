/** The page for owners: who has an account, and what they may do. */
import { UsersCard } from './users-card.tsx';

export const UsersPage = () => (
  <>
    <div class="page-head row">
      <h1>Users</h1>
    </div>
    <div class="cards">
      <UsersCard />
    </div>
  </>
);
