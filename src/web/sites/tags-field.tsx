/** The tags of a site, separated by commas. */
import { useState } from 'preact/hooks';
import { TextField } from '../parts/text-field.tsx';

type Props = {
  tags: readonly string[];
  error: string | null;
  onChange: (tags: string[]) => void;
};

const tagsIn = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
];

export function TagsField({ tags, error, onChange }: Props) {
  const [typed, setTyped] = useState(tags.join(', '));
  // What is typed has commas and spaces that the tags do not have.
  const isSame = tagsIn(typed).join() === tags.join();
  return (
    <TextField
      label="Tags"
      type="text"
      error={error}
      help="Words to find and group sites by, separated by commas"
      autocomplete="off"
      value={isSame ? typed : tags.join(', ')}
      onInput={({ currentTarget: { value } }) => {
        setTyped(value);
        onChange(tagsIn(value));
      }}
    />
  );
}
