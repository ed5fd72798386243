/** The palette that Ctrl+K opens: a field, and below it the sites, pages, policies and actions that fit. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useProxyNames, useUser } from '../lib/hub.ts';
import { navigate } from '../lib/router.ts';
import { useTheme } from '../lib/theme.ts';
import type { Policy, Vhost } from '../lib/types.ts';
import { useGet } from '../lib/use-load.ts';
import { Dialog } from './dialog.tsx';
import { Notice } from './notice.tsx';
import { type Entry, entriesOf, found } from './palette-entries.ts';

type Props = { onClose: () => void; onKeys: () => void; onSignOut: () => void };

const WHAT = 'Site, page, policy or action';

/** A combobox with a list (ARIA Authoring Practices): the focus stays in the field. */
export function Palette({ onClose, onKeys, onSignOut }: Props) {
  const user = useUser();
  const proxies = useProxyNames();
  const [, onTheme] = useTheme();
  const sites = useGet<Vhost[]>('/vhosts');
  const policies = useGet<Policy[]>('/policies');
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const chosen = useRef<HTMLDivElement>(null);
  const list = useId();
  useEffect(() => chosen.current?.scrollIntoView({ block: 'nearest' }), [at, typed]);
  const known = { role: user?.role ?? 'viewer', proxies, onTheme, onKeys, onSignOut } as const;
  const entries = found(
    entriesOf({ ...known, sites: sites.data ?? [], policies: policies.data ?? [] }),
    typed,
  );
  const current = Math.min(at, entries.length - 1);

  const take = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    if (typeof entry.act === 'string') navigate(entry.act);
    else entry.act();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') take(entries[current]);
    else if (event.key === 'ArrowDown') setAt((current + 1) % entries.length || 0);
    else if (event.key === 'ArrowUp') setAt((current || entries.length) - 1);
    else return;
    event.preventDefault();
  };

  const error = sites.error ?? policies.error;
  const isLoading = !error && !(sites.data && policies.data);
  return (
    <Dialog title="Go to" onClose={onClose}>
      <div class="palette">
        <input
          type="text"
          role="combobox"
          aria-label={WHAT}
          placeholder={WHAT}
          aria-expanded={entries.length > 0}
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={entries.length > 0 ? `${list}-${current}` : undefined}
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
        {error && <Notice kind="error">{error}</Notice>}
        <div id={list} role="listbox" aria-label="Results">
          {entries.map((entry, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
            <div
              key={`${entry.kind} ${entry.title}`}
              id={`${list}-${index}`}
              ref={index === current ? chosen : null}
              class="line between"
              role="option"
              tabIndex={-1}
              aria-selected={index === current}
              onClick={() => take(entry)}
            >
              <span class="cut">{entry.title}</span>
              <small class="muted">{entry.kind}</small>
            </div>
          ))}
        </div>
        <p class="muted small" role="status">
          {entries.length === 0 && (isLoading ? 'Loading …' : 'Nothing fits.')}
        </p>
      </div>
    </Dialog>
  );
}
