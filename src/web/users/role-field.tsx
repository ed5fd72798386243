/** Picks a role, with what each may do. */
import type { Role } from '../lib/roles.ts';
import { Field } from '../parts/field.tsx';

const ROLES: readonly Role[] = ['viewer', 'editor', 'owner'];

/** Inside a `select`. */
export const RoleOptions = () => (
  <>
    {ROLES.map((role) => (
      <option key={role} value={role}>
        {role}
      </option>
    ))}
  </>
);

type Props = { role: Role; onPick: (role: Role) => void };

export const RoleField = ({ role, onPick }: Props) => (
  <Field label="Role">
    {(attributes) => (
      <select
        {...attributes}
        value={role}
        onChange={(event) => onPick(event.currentTarget.value as Role)}
      >
        <RoleOptions />
      </select>
    )}
  </Field>
);
