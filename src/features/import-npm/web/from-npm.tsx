/** Leads through the move from Nginx Proxy Manager, step by step. */
import { useState } from 'preact/hooks';
import type { ImportSource } from '../../../web/feature.ts';
import { get, send } from '../../../web/lib/api.ts';
import { plural } from '../../../web/lib/format.ts';
import { useHub } from '../../../web/lib/hub.ts';
import { useCan } from '../../../web/lib/roles.ts';
import type { NpmAnswer, Vhost } from '../../../web/lib/types.ts';
import { useSubmit } from '../../../web/lib/use-form.ts';
import { DropArea, readFile } from '../../../web/parts/drop-area.tsx';
import { Notice, RefusedNotice } from '../../../web/parts/notice.tsx';
import { Ports } from '../../../web/parts/ports.tsx';
import { choicesOf, ImportButton, type Plan, PlanContents } from '../../import/web/plan-view.tsx';
import type { Choices } from '../../import/web/summary.ts';
import { uploadedIn } from './groups.ts';
import { NpmNotes } from './notes.tsx';
import { NPM_TAG, NpmTrial } from './trial.tsx';

/** The hub's limit for a database. */
const MAX_MIB = 64;

type Looked = { file: Blob; plan: Plan & { answer: NpmAnswer } };

function FromNpm() {
  const hub = useHub();
  const isOwner = useCan('owner');
  const [looked, setLooked] = useState<Looked | null>(null);
  const [choices, setChoices] = useState<Choices>({ sides: {}, replace: [] });
  const [withCertificates, setWithCertificates] = useState(false);
  const [imported, setImported] = useState<NpmAnswer | null>(null);

  // The question before the import says so.
  const isForeign = String(hub.status?.foreign === true);
  const {
    busy,
    error,
    run: look,
  } = useSubmit(async (chosen: File) => {
    setLooked(null);
    setImported(null);
    setWithCertificates(false);
    // What is imported is what was shown, even if NPM changes its file meanwhile.
    const file = new Blob([await readFile(chosen, MAX_MIB)]);
    const [answer, sites] = await Promise.all([
      importFrom(file, { dryRun: 'true', replace: isForeign }),
      get<Vhost[]>('/vhosts'),
    ]);
    // It is the hub's own.
    const plan = { answer: { ...answer, preamble: '' }, existing: sites.length };
    setLooked({ file, plan });
    setChoices(choicesOf(plan));
  });
  const run = async ({ replace }: Choices) => {
    if (!looked) return;
    const query = { certificates: String(withCertificates), replace: isForeign };
    setImported(await importFrom(looked.file, query, replace));
    setLooked(null);
    hub.refresh();
  };
  const uploaded = looked ? uploadedIn(looked.plan.answer.notes) : 0;

  return (
    <>
      <p class="muted">
        signalbox takes over the hosts, access lists and redirections of Nginx Proxy Manager (NPM),
        which keeps running until you stop it in step 4.
      </p>
      <ol class="steps">
        <li>
          <h3>Look</h3>
          <p>
            Choose <span class="mono">database.sqlite</span> from NPM’s data folder, the one mounted
            at <span class="mono">/data</span>: often <span class="mono">data</span> beside its{' '}
            <span class="mono">docker-compose.yml</span>. signalbox reads a copy and never writes to
            that folder.
          </p>
          <DropArea label="Choose the database" accept=".sqlite" onFile={look} />
          {busy && <p role="status">Reading the database …</p>}
          {error !== null && <RefusedNotice error={error} />}
          {looked && (
            <section aria-label="Import plan">
              <PlanContents plan={looked.plan} choices={choices} onChange={setChoices}>
                <NpmNotes notes={looked.plan.answer.notes} />
              </PlanContents>
            </section>
          )}
        </li>
        <li>
          <h3>Import</h3>
          <p>All sites go live at once, or none does. NPM and Caddy both keep their ports.</p>
          {looked && isOwner && uploaded > 0 && (
            <label>
              <input
                type="checkbox"
                checked={withCertificates}
                onChange={(event) => setWithCertificates(event.currentTarget.checked)}
              />
              Also take over the uploaded certificates of {plural(uploaded, 'site')}, with their
              keys
            </label>
          )}
          {looked && (
            <ImportButton
              plan={looked.plan}
              choices={choices}
              onReplay={({ replace }) =>
                importFrom(
                  looked.file,
                  { dryRun: 'true', replay: 'true', replace: isForeign },
                  replace,
                )
              }
              onImport={run}
            />
          )}
          {imported && (
            <section aria-label="Imported" tabIndex={-1} ref={focus}>
              <Notice kind="success" title={`${plural(movedIn(imported), 'site')} imported`}>
                The import is live. <a href={`/sites?tag=${NPM_TAG}`}>Go to these sites</a>
              </Notice>
              <NpmNotes notes={imported.notes} />
            </section>
          )}
        </li>
        <li>
          <h3>Try</h3>
          <NpmTrial />
        </li>
        <li>
          <h3>Stop NPM</h3>
          <p>
            Run <code>docker compose stop</code> in NPM’s folder, or <code>docker stop</code> with
            the name of its container. Then {isOwner ? 'move Caddy' : 'have an owner move Caddy'} to
            the ports that NPM had. If NPM runs on another machine, let router and DNS lead to this
            one instead.
          </p>
          {hub.status?.serving && (
            <div>
              Caddy’s ports: <Ports serving={hub.status.serving} look="" />
            </div>
          )}
        </li>
        <li>
          <h3>If you want to go back</h3>
          <p>
            Undo both changes, the ports and the import, in the <a href="/changelog">changelog</a>,
            then run <code>docker compose start</code> in NPM’s folder. NPM’s own data has not
            changed.
          </p>
        </li>
      </ol>
    </>
  );
}

export const npm: ImportSource = { name: 'npm', label: 'Nginx Proxy Manager', Source: FromNpm };

const movedIn = ({ merge }: NpmAnswer): number =>
  merge.sites.filter(({ action }) => action === 'create' || action === 'replace').length;

/** The button that had the focus is gone. */
const focus = (element: HTMLElement | null) => element?.focus();

/** Sites that the hub has already stay, except those of `replace`. */
function importFrom(
  file: Blob,
  query: Record<string, string>,
  replace: readonly string[] = [],
): Promise<NpmAnswer> {
  const form = new FormData();
  form.set('file', file, 'database.sqlite');
  if (replace.length > 0) form.set('replace', replace.join(' '));
  return send('POST', `/import/npm?${new URLSearchParams({ taken: 'skip', ...query })}`, form);
}
