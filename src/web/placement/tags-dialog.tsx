/** Adds tags to the selected sites, and removes them. */
import { useState } from 'preact/hooks';
import { get } from '../lib/api.ts';
import { relabel } from '../lib/relabel.ts';
import { tagsIn } from '../lib/tags.ts';
import type { Vhost } from '../lib/types.ts';
import { useLoad } from '../lib/use-load.ts';
import { TextField } from '../parts/field.tsx';
import { hasOf, TickList, type Ticks } from '../parts/tick-list.tsx';
import { BulkForm, type BulkProps } from './bulk-form.tsx';

export function TagsDialog(props: BulkProps) {
  const { sites } = props;
  const all = useLoad('sites', (signal) => get<Vhost[]>('/vhosts', signal));
  const [ticks, setTicks] = useState<Ticks>({});
  const [fresh, setFresh] = useState('');
  const known = [...new Set([...(all.data ?? []), ...sites].flatMap(({ tags }) => tags))];
  const lists = sites.map(({ tags }) => tags);
  const added = tagsIn(fresh);
  const ticked = Object.keys(ticks).filter((tag) => ticks[tag]);
  return (
    <BulkForm
      {...props}
      subject="Tags"
      action="Save"
      isReady={added.length + Object.keys(ticks).length > 0}
      change={(ids) =>
        relabel(ids, ({ tags }) => {
          const kept = tags.filter((tag) => ticks[tag] !== false);
          return { tags: [...new Set([...kept, ...ticked, ...added])] };
        })
      }
    >
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
    </BulkForm>
  );
}
