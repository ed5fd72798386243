/** Caddy's program on the page of a proxy: what is known of it, and the change to another one. */
import { get, send } from '../../../web/lib/api.ts';
import { plural } from '../../../web/lib/format.ts';
import { useCan } from '../../../web/lib/roles.ts';
import { useSubmit } from '../../../web/lib/use-form.ts';
import { useLoad } from '../../../web/lib/use-load.ts';
import { CopyButton } from '../../../web/parts/code-block.tsx';
import { ConfirmButton } from '../../../web/parts/dialog.tsx';
import { Notice, RefusedNotice } from '../../../web/parts/notice.tsx';
import { Time } from '../../../web/parts/time.tsx';
import type { ProgramsView } from '../routes.ts';

const named = ({ version }: { version: string | null }) => `Caddy ${version ?? 'from source'}`;

/** @param name of the proxy @param onChanged called after a restart */
export function ProgramCard({ name, onChanged }: { name: string; onChanged: () => unknown }) {
  const { data, error, reload, set } = useLoad(`programs ${name}`, (signal) =>
    get<ProgramsView>(`/proxy/programs?agent=${name}`, signal),
  );
  const isOwner = useCan('owner');
  const restart = useSubmit(async () => {
    try {
      const now = await send<ProgramsView>('POST', `/proxy/restart?agent=${name}`);
      set(() => now);
    } finally {
      reload();
      onChanged();
    }
  });
  const action = data?.next ? `Change to ${named(data.next)}` : 'Restart Caddy';
  return (
    <section class="card" aria-labelledby="proxy-program">
      <h2 id="proxy-program">Caddy’s program</h2>
      {error && <Notice kind="error" title={error} />}
      {data && <Known found={data} />}
      {restart.busy && (
        <Notice kind="info" title="Caddy is being restarted">
          Another program is tried with all sites first, which takes up to three minutes.
        </Notice>
      )}
      {restart.error !== null && <RefusedNotice error={restart.error} />}
      {data?.managed && isOwner && !restart.busy && (
        <div class="row above">
          <ConfirmButton
            button={`${action} …`}
            title={`${action} on ${name}?`}
            action="Restart it"
            kind="primary"
            onConfirm={async () => void restart.run()}
          >
            <p>
              Visitors wait for less than a second, and open connections end. If the program at
              PROXY_BIN would serve a site worse, nothing changes, and you see what.
            </p>
          </ConfirmButton>
        </div>
      )}
    </section>
  );
}

function Known({ found }: { found: ProgramsView }) {
  const { current, next, advisories, safe, command } = found;
  return (
    <>
      <p>
        {current ? <strong>{named(current)}</strong> : 'The agent cannot say which program runs.'}
        {current?.since && (
          <>
            {' '}
            since <Time at={current.since} />
          </>
        )}
      </p>
      {advisories && advisories.length > 0 && (
        <details>
          <summary>
            {plural(advisories.length, 'known hole')}; {safe} or newer has none
          </summary>
          <ul>
            {advisories.map(({ id, summary }) => (
              <li key={id}>
                <strong>{id}</strong> {summary}
              </li>
            ))}
          </ul>
        </details>
      )}
      {next && (
        <>
          <p>
            {named(next)} is at PROXY_BIN, and was tried with all sites:{' '}
            {next.differs.length === 0 ? 'nothing differs.' : 'this differs.'}
          </p>
          <ul>
            {next.differs.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </>
      )}
      {command && (
        <>
          <p class="muted">Another program runs it. To upgrade it, run on its machine:</p>
          <pre class="code wrap">{command}</pre>
          <CopyButton text={command} label="Copy command" />
        </>
      )}
    </>
  );
}
