/** Leads through the move from Nginx Proxy Manager, step by step. */
import { useState } from 'preact/hooks';
import type { ImportSource } from '../../../web/feature.ts';
import { send } from '../../../web/lib/api.ts';
import { plural } from '../../../web/lib/format.ts';
import { useHub } from '../../../web/lib/hub.ts';
import { useCan } from '../../../web/lib/roles.ts';
import { DropArea, readFile } from '../../../web/parts/drop-area.tsx';
import { Doubts, Notice, RefusedNotice } from '../../../web/parts/notice.tsx';
import { Ports } from '../../../web/parts/ports.tsx';
import { Tick } from '../../../web/parts/tick.tsx';
import { type Asked, ImportButton, PlanContents, useImport } from '../../import/web/plan-view.tsx';
import type { NpmAnswer } from '../routes.ts';
import { uploadedIn } from './groups.ts';
import { NpmNotes } from './notes.tsx';
import { NPM_TAG, NpmTrial } from './trial.tsx';

/** The hub's limit for a database. */
const MAX_MIB = 64;

function FromNpm() {
  const { status } = useHub();
  const isOwner = useCan('owner');
  const [withCertificates, setWithCertificates] = useState(false);
  const { busy, error, look, imported, plan } = useImport((file: Blob, how: Asked) =>
    importFrom(file, how, {
      // A warning above the button says so.
      replace: String(status?.foreign === true),
      certificates: String(withCertificates && !how.dryRun),
    }),
  );
  const choose = async (chosen: File) => {
    setWithCertificates(false);
    // What is imported is what was shown, even if NPM changes its file meanwhile.
    await look(new Blob([await readFile(chosen, MAX_MIB)]));
  };
  const uploaded = plan ? uploadedIn(plan.answer.notes) : 0;

  return (
    <>
      <p class="muted">
        signalbox takes over the hosts, access lists and redirections of Nginx Proxy Manager (NPM),
        which keeps running until you stop it at the end.
      </p>
      <ol>
        <li>
          <h3>Look</h3>
          <p>
            Choose <span class="mono">database.sqlite</span> from NPM’s data folder, the one mounted
            at <span class="mono">/data</span>: often <span class="mono">data</span> beside its{' '}
            <span class="mono">docker-compose.yml</span>. signalbox reads a copy and never writes to
            that folder.
          </p>
          <DropArea label="Choose the database" accept=".sqlite" onFile={choose} />
          {busy && <p role="status">Reading the database …</p>}
          {error !== null && <RefusedNotice error={error} />}
          {plan && (
            <section aria-label="Import plan">
              <PlanContents plan={plan}>
                <NpmNotes notes={plan.answer.notes} />
              </PlanContents>
            </section>
          )}
        </li>
        <li>
          <h3>Import</h3>
          <p>All sites go live at once, or none does. NPM and Caddy both keep their ports.</p>
          {isOwner && uploaded > 0 && (
            <Tick checked={withCertificates} onTick={setWithCertificates}>
              Also take over the uploaded certificates of {plural(uploaded, 'site')}, with their
              keys
            </Tick>
          )}
          {plan && <ImportButton plan={plan} />}
          {imported && (
            <section aria-label="Imported" tabIndex={-1} ref={focus}>
              <Notice kind="success" title={`${plural(movedIn(imported), 'site')} imported`}>
                The import is live. <a href={`/sites?tag=${NPM_TAG}`}>Go to these sites</a>
              </Notice>
              <Doubts warnings={imported.warnings} />
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
          {status?.serving && (
            <div>
              Caddy’s ports: <Ports serving={status.serving} look="" />
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

async function importFrom(
  file: Blob,
  { choices, dryRun, replay }: Asked,
  query: Record<string, string>,
): Promise<NpmAnswer> {
  const form = new FormData();
  form.set('file', file, 'database.sqlite');
  if (choices && choices.replace.length > 0) form.set('replace', choices.replace.join(' '));
  const search = new URLSearchParams({ taken: 'skip', dryRun: String(dryRun), ...query });
  if (replay) search.set('replay', 'true');
  const answer = await send<NpmAnswer>('POST', `/import/npm?${search}`, form);
  // The preamble is the hub's own.
  return { ...answer, preamble: '' };
}
