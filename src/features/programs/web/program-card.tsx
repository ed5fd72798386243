/** Caddy's program on the page of a proxy: what is known of it, and its exchange for another. */
import { useState } from 'preact/hooks';
import { ApiError, get, send } from '../../../web/lib/api.ts';
import { plural } from '../../../web/lib/format.ts';
import { useCan } from '../../../web/lib/roles.ts';
import { placeError, useSubmit } from '../../../web/lib/use-form.ts';
import { useEvery, useLoad } from '../../../web/lib/use-load.ts';
import { CopyButton } from '../../../web/parts/code-block.tsx';
import { Confirm } from '../../../web/parts/dialog.tsx';
import { Field, TextField } from '../../../web/parts/field.tsx';
import { Notice } from '../../../web/parts/notice.tsx';
import { Time } from '../../../web/parts/time.tsx';
import type { ProgramsView } from '../routes.ts';

type Program = NonNullable<ProgramsView['current']>;
/** What to exchange it for, in the words of a question; and what the hub gets. */
type Wanted = { words: string; body: FormData | object };

const named = ({ version }: Pick<Program, 'version'>) => `Caddy ${version ?? 'from source'}`;

/** @param name of the proxy @param onChanged called after an exchange */
export function ProgramCard({ name, onChanged }: { name: string; onChanged: () => unknown }) {
  const path = (route: string) => `/proxy/${route}?agent=${name}`;
  const { data, error, reload, set } = useLoad(`programs ${name}`, (signal) =>
    get<ProgramsView>(path('programs'), signal),
  );
  useEvery(1_000, () => data?.probation && reload());
  const isOwner = useCan('owner');
  const [asked, setAsked] = useState<Wanted | null>(null);
  const [done, setDone] = useState<ProgramsView | null>(null);
  const exchange = useSubmit(async ({ body }: Wanted) => {
    const now = await send<ProgramsView>('POST', path('program'), body);
    set(() => now);
    setDone(now.differences ? now : null);
    onChanged();
  });
  const left = data?.probation
    ? Math.ceil((Date.parse(data.probation.until) - Date.now()) / 1e3)
    : 0;
  return (
    <section class="card" aria-labelledby="proxy-program">
      <h2 id="proxy-program">Caddy’s program</h2>
      {error && <Notice kind="error" title={error} />}
      {data && <Known found={data} />}
      {exchange.busy && (
        <Notice kind="info" title="The new program is being asked">
          This takes up to three minutes. Visitors notice nothing.
        </Notice>
      )}
      {exchange.error !== null && <Refused error={exchange.error} />}
      {left > 0 && (
        <Notice kind="info">
          On probation for {plural(left, 'more second')}: if it ends, the previous program runs
          again.
        </Notice>
      )}
      {done && done.current?.sha256 === data?.current?.sha256 && !exchange.busy && (
        <Notice kind="success" title="The new program runs">
          <Differences of={done.differences} />
          {done.leftOut && done.leftOut.length > 0 && (
            <ul>
              {done.leftOut.map(({ reason, count }) => (
                <li key={reason}>
                  Not compared: {reason}
                  {count > 0 && ` (${count})`}
                </li>
              ))}
            </ul>
          )}
        </Notice>
      )}
      {data && isOwner && data.managed && !exchange.busy && left <= 0 && (
        <>
          {data.previous.map((one) => (
            <p key={one.sha256} class="row">
              Kept: {named(one)}
              <button
                type="button"
                onClick={() => setAsked({ words: named(one), body: { use: one.sha256 } })}
              >
                Go back …
              </button>
            </p>
          ))}
          <NewProgram error={exchange.error} onAsk={setAsked} />
        </>
      )}
      {asked && (
        <Confirm
          title={`Exchange Caddy on ${name}?`}
          action="Exchange it"
          kind="primary"
          onConfirm={async () => {
            setAsked(null);
            void exchange.run(asked);
          }}
          onClose={() => setAsked(null)}
        >
          <p>
            {asked.words} starts beside the program that runs, and is asked for every site. If it
            answers as well, it takes over, without a gap. If not, nothing changes, and you see why.
          </p>
        </Confirm>
      )}
    </section>
  );
}

function Known({ found }: { found: ProgramsView }) {
  const { current, advisories, safe, command, uses } = found;
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
      {current && current.plugins.length > 0 && (
        <ul>
          {current.plugins.map((module) => {
            const use = uses?.find((one) => one.module === module);
            const users = [...(use?.sites ?? []), ...(use?.elsewhere ? ['the preamble'] : [])];
            return (
              <li key={module}>
                Plugin <code>{module}</code>{' '}
                {users.length > 0 ? `for ${users.join(', ')}` : uses && 'not used'}
              </li>
            );
          })}
        </ul>
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

/** A file, or an address with its sum. */
function NewProgram({ error, onAsk }: { error: unknown; onAsk: (wanted: Wanted) => void }) {
  const { at } = placeError(error, ['url', 'sha256']);
  const [url, setUrl] = useState('');
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const sha256 = String(form.get('sha256')).trim().toLowerCase();
    if (sha256 === '') form.delete('sha256');
    else form.set('sha256', sha256);
    const file = form.get('file') as File;
    onAsk(url === '' ? { words: file.name, body: form } : { words: url, body: { url, sha256 } });
  };
  return (
    <details>
      <summary>Use another program</summary>
      <form onSubmit={submit}>
        <Field label="File" help="A program for the proxy’s machine, not an archive.">
          {(attributes) => (
            <input
              {...attributes}
              type="file"
              name="file"
              required={url === ''}
              disabled={url !== ''}
            />
          )}
        </Field>
        <TextField
          label="Or a URL"
          type="text"
          pattern="https?://.+"
          value={url}
          error={at('url')}
          onInput={(event) => setUrl(event.currentTarget.value.trim())}
        />
        <TextField
          label="SHA-256"
          help="A URL needs it; a file is checked if you give it."
          name="sha256"
          type="text"
          class="mono"
          pattern="\s*[0-9a-fA-F]{64}\s*"
          required={url !== ''}
          error={at('sha256')}
        />
        <div class="row above">
          <button type="submit">Exchange …</button>
        </div>
      </form>
    </details>
  );
}

function Refused({ error }: { error: unknown }) {
  const { message, detail, hint, body } = error as ApiError;
  return (
    <Notice kind="error" title={message} detail={detail} hint={hint}>
      {error instanceof ApiError && <Differences of={body.differences} />}
    </Notice>
  );
}

const Differences = ({ of }: { of: unknown }) => {
  const all = (Array.isArray(of) ? of : []) as NonNullable<ProgramsView['differences']>;
  return all.length === 0 ? null : (
    <ul>
      {all.map(({ domain, reason }) => (
        <li key={`${domain} ${reason}`}>
          <strong>{domain}</strong> {reason}
        </li>
      ))}
    </ul>
  );
};
