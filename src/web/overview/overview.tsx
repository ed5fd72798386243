/** The first page: how the last hour was, what is wrong, and what was changed. */
import type { ComponentChildren } from 'preact';
import { OVERVIEW_SECTIONS } from '../features.ts';
import { get } from '../lib/api.ts';
import { useHub } from '../lib/hub.ts';
import { useCan } from '../lib/roles.ts';
import type { Group, Status, Vhost, VhostActivity } from '../lib/types.ts';
import { type Loaded, useEvery, useLoad } from '../lib/use-load.ts';
import { SkeletonRows } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { ProblemList } from '../status/problem-list.tsx';
import { countedIn, hasLines, headlineOf } from '../status/problems.ts';
import { BusiestSites, CertificatesDue, LastChanges } from './lists.tsx';

const EVERY_MS = 30_000;
/** So that the figures stay in view. */
const MOST_AT_ONCE = 5;

export function Overview() {
  const { status } = useHub();
  const canEdit = useCan('editor');
  const sites = useLoad('sites', (signal) => get<Vhost[]>('/vhosts', signal));
  useEvery(EVERY_MS, sites.reload);
  const isEmpty = sites.data?.length === 0;
  return (
    <>
      <div class="page-head row">
        <h1>Overview</h1>
        {canEdit && (
          <a class="button primary" href="/sites/new">
            New site
          </a>
        )}
      </div>
      {sites.error && <Notice kind="error" title={sites.error} />}
      {(!status || !sites.data) && !sites.error && <SkeletonRows rows={8} label="Loading" />}
      {status && sites.data && (
        <div class="stack">
          {hasLines(status) && (
            <section class="card tight small" aria-label="Problems">
              <h2>{titleOf(status)}</h2>
              <ProblemList status={status} first={MOST_AT_ONCE} />
            </section>
          )}
          {!isEmpty && <LastHour sites={sites.data} />}
          {isEmpty && canEdit && <FirstSteps foreign={status.foreign} />}
          {isEmpty && !canEdit && <p class="muted">There are no sites yet.</p>}
        </div>
      )}
    </>
  );
}

/** Of the card with problems, and with what a source will undo. */
function titleOf(status: Status): string {
  if (countedIn(status.problems).length > 0) return headlineOf(status);
  if (status.problems.some(({ known }) => known)) return 'Known problems';
  return status.problems.length > 0 ? 'Notices' : 'Changed by hand';
}

function LastHour({ sites }: { sites: readonly Vhost[] }) {
  const { status } = useHub();
  const activity = useLoad('activity', (signal) => get<VhostActivity>('/vhosts/activity', signal));
  const changes = useLoad('changes', (signal) => get<Group[]>('/changelog?grouped=true', signal));
  const entries = (changes.data ?? []).flatMap((group) => group.entries);
  useEvery(EVERY_MS, () => [activity, changes].map(({ reload }) => reload()));
  return (
    <>
      {OVERVIEW_SECTIONS.map((Section) => (
        <Section key={Section.name} entries={entries} />
      ))}
      <div class="overview-lists columns top small">
        <Part title="Busiest sites" link={{ to: '/sites', label: 'All sites' }}>
          <Listed of={activity}>{(data) => <BusiestSites sites={sites} activity={data} />}</Listed>
        </Part>
        <Part title="Certificates due">{status && <CertificatesDue status={status} />}</Part>
        <Part title="Last changes" link={{ to: '/changelog', label: 'All changes' }}>
          <Listed of={changes}>{(groups) => <LastChanges groups={groups} />}</Listed>
        </Part>
      </div>
    </>
  );
}

type PartProps = {
  title: string;
  link?: { to: string; label: string };
  children: ComponentChildren;
};

function Part({ title, link, children }: PartProps) {
  return (
    <section class="card tight" aria-label={title}>
      <div class="card-head row between">
        <h2>{title}</h2>
        {link && <a href={link.to}>{link.label}</a>}
      </div>
      {children}
    </section>
  );
}

type ListedProps<T> = { of: Loaded<T>; children: (data: T) => ComponentChildren };

function Listed<T>({ of: { data, error }, children }: ListedProps<T>) {
  if (data !== undefined) return <>{children(data)}</>;
  return error ? <p class="muted">{error}</p> : <SkeletonRows rows={5} label="Loading" />;
}

/** What to do on a hub without sites. */
function FirstSteps({ foreign }: { foreign: boolean }) {
  return (
    <section class="card" aria-label="First steps">
      <h2>Three steps to your first site</h2>
      <ol class="steps">
        <li>
          <strong>Point its name at this machine</strong>
          <p class="muted">
            Add a DNS record for the name with the address of the machine that Caddy runs on. Caddy
            then gets the certificate on its own.
          </p>
        </li>
        <li>
          <strong>
            <a href="/sites/new">Create your first site</a>
          </strong>
          <p class="muted">
            A name, and where the service behind it listens.{' '}
            {foreign ? (
              <>
                Caddy already serves other sites: <a href="/import">import them</a> first.
              </>
            ) : (
              <>
                If you have a Caddyfile already, <a href="/import">import your Caddyfile</a>.
              </>
            )}
          </p>
        </li>
        <li>
          <strong>Open it in a browser</strong>
          <p class="muted">
            Its requests, errors and latency appear here and in the <a href="/logs">logs</a>.
          </p>
        </li>
      </ol>
    </section>
  );
}
