/** Adds tags to the selected sites, and removes them. */
import { useState } from 'preact/hooks';
import { get } from '../lib/api.ts';
import { plural } from '../lib/format.ts';
import { type Relabelled, relabel } from '../lib/relabel.ts';
import type { Vhost } from '../lib/types.ts';
import { submitWith, useSubmit } from '../lib/use-form.ts';
import { useLoad } from '../lib/use-load.ts';
import { FormActions } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { RefusedNotice } from '../parts/notice.tsx';
import { hasOf, TickList, type Ticks } from '../parts/tick-list.tsx';

type Props = {
  sites: readonly Vhost[];
  onClose: () => void;
  onDone: (words: string, done: Relabelled) => Promise<void>;
};

export function TagsDialog({ sites, onClose, onDone }: Props) {
  const all = useLoad('sites', (signal) => get<Vhost[]>('/vhosts', signal));
  const [ticks, setTicks] = useState<Ticks>({});
  const [fresh, setFresh] = useState('');
  const known = [...new Set([...(all.data ?? []), ...sites].flatMap(({ tags }) => tags))];
  const lists = sites.map(({ tags }) => tags);
  const added = fresh
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  const { busy, error, run } = useSubmit(async () => {
    const ticked = Object.keys(ticks).filter((tag) => ticks[tag]);
    const done = await relabel(
      sites.map(({ id }) => id),
      ({ tags }) => {
        const kept = tags.filter((tag) => ticks[tag] !== false);
        return { tags: [...new Set([...kept, ...ticked, ...added])] };
      },
    );
    await onDone(`Tags of ${plural(done.count, 'site')} changed`, done);
  });
  const isChanged = added.length + Object.keys(ticks).length > 0;
  return (
    <form onSubmit={submitWith(() => isChanged && run())}>
      <TickList
        label="Tags"
        items={known.toSorted().map((name) => ({ name, has: hasOf(name, lists) }))}
        ticks={ticks}
        onChange={setTicks}
      />
      <TextField
        label="New tags"
        type="text"
        help="Any words to find sites by, separated by commas. Caddy does not see them."
        autocomplete="off"
        value={fresh}
        onInput={(event) => setFresh(event.currentTarget.value)}
      />
      {error !== null && <RefusedNotice error={error} />}
      <FormActions action="Save" disabled={!isChanged || busy} onClose={onClose} />
    </form>
  );
}
