/** The name of a policy. */
import { TextField } from '../parts/text-field.tsx';
import { type Fault, wordsAt } from '../recipes/schema.ts';

type Props = {
  name: string;
  fault: Fault | null;
  /** Whether sites have it. */
  isUsed?: boolean;
  onChange: (name: string) => void;
};

export const NameField = ({ name, fault, isUsed = false, onChange }: Props) => (
  <TextField
    label="Policy name"
    type="text"
    required
    maxLength={40}
    autocomplete="off"
    autocapitalize="off"
    spellcheck={false}
    help={`Lower-case letters, digits and hyphens.${isUsed ? ' If you rename it, its sites keep it.' : ''}`}
    error={fault?.field === 'name' ? wordsAt(fault) : null}
    value={name}
    onInput={(event) => onChange(event.currentTarget.value)}
  />
);
