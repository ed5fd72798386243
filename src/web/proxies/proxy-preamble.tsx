/** The preamble of one proxy: the common one, or its own. */
import { useState } from 'preact/hooks';
import { PreambleForm } from '../config/preamble-form.tsx';
import { get, send } from '../lib/api.ts';
import type { Preamble } from '../lib/types.ts';
import { useLoad } from '../lib/use-load.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Notice } from '../parts/notice.tsx';

export function ProxyPreamble({ name }: { name: string }) {
  const path = `/preamble?agent=${name}`;
  const { data, error, set } = useLoad(path, (signal) => get<Preamble>(path, signal));
  const [isOpen, setOpen] = useState(false);
  const [asking, setAsking] = useState(false);
  const share = async () => {
    const common = await send<Preamble>('PUT', path, { config: null });
    setAsking(false);
    setOpen(false);
    set(() => common);
  };
  const isOwn = data?.own === true;
  return (
    <section class="card" aria-labelledby="proxy-preamble">
      <div class="card-head row">
        <h2 id="proxy-preamble">Preamble</h2>
        {data && isOwn && (
          <button type="button" onClick={() => setAsking(true)}>
            Use the common one …
          </button>
        )}
        {data && !isOwn && !isOpen && (
          <button type="button" onClick={() => setOpen(true)}>
            Give it its own …
          </button>
        )}
      </div>
      {error && <Notice kind="error" title={error} />}
      <p class="muted">
        {isOwn ? (
          'This proxy has global options and snippets of its own.'
        ) : (
          <>
            This proxy has the <a href="/preamble">common preamble</a>.
            {isOpen && ' Change it here to give it one of its own.'}
          </>
        )}
      </p>
      {data && (isOwn || isOpen) && (
        <PreambleForm loaded={data} agent={name} onSaved={(now) => set(() => now)} />
      )}
      {asking && (
        <Confirm
          title={`Use the common preamble on ${name}?`}
          action="Use the common one"
          onConfirm={share}
          onClose={() => setAsking(false)}
        >
          <p>Its own preamble is replaced by the common one at once. You can undo that.</p>
        </Confirm>
      )}
    </section>
  );
}
