/** "Explain this" on the page of a site: how far a visitor's request gets, what stops it, and the cure. */
import type { ComponentProps } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SiteSection } from '../../../web/feature.ts';
import { send } from '../../../web/lib/api.ts';
import { useCan } from '../../../web/lib/roles.ts';
import { submitWith, useSubmit } from '../../../web/lib/use-form.ts';
import { lazy } from '../../../web/parts/loading.tsx';
import { RefusedNotice } from '../../../web/parts/notice.tsx';
import type { Explanation } from '../schemas.ts';

export const ExplainPanel: SiteSection = ({ site, onChanged }) =>
  site.enabled ? <Panel key={site.id} site={site} onChanged={onChanged} /> : null;

/** An explanation, and when the site was changed last that it is about. */
type Result = { of: string; explanation: Explanation };

function Panel({ site, onChanged }: ComponentProps<SiteSection>) {
  const [path, setPath] = useState('/');
  const [result, setResult] = useState<Result | null>(null);
  const canEdit = useCan('editor');
  const latest = useRef(site);
  latest.current = site;
  const explain = useSubmit(async () => {
    const { id, updatedAt } = latest.current;
    const explanation = await send<Explanation>('POST', '/explanations', { vhost: id, path });
    setResult({ of: updatedAt, explanation });
  });
  const shown = result?.of === site.updatedAt ? result.explanation : null;
  const heading = useRef<HTMLHeadingElement>(null);
  // Links lead here before the page is there.
  useEffect(() => {
    if (location.hash === '#explain') heading.current?.focus();
  }, []);
  return (
    <section class="card tight stack" aria-labelledby="explain" aria-busy={explain.busy}>
      <form class="row" onSubmit={submitWith(explain.run)}>
        <h2 id="explain" ref={heading} tabIndex={-1}>
          Does it work?
        </h2>
        {canEdit && (
          <label class="line small end nowrap">
            Ask for
            <input
              type="text"
              class="mono"
              value={path}
              required
              pattern="/.*"
              maxLength={2000}
              spellcheck={false}
              autocapitalize="off"
              onInput={(event) => setPath(event.currentTarget.value)}
            />
          </label>
        )}
        <button type="submit" aria-disabled={explain.busy}>
          {explain.busy ? 'Asking …' : 'Explain'}
        </button>
      </form>
      {explain.error !== null && <RefusedNotice error={explain.error} />}
      <div class="stack" role="status">
        {shown && <Outcome explanation={shown} />}
        {shown && shown.verdict !== 'works' && <Way explanation={shown} />}
      </div>
      {shown?.cure && (
        <Cure
          cure={shown.cure}
          canPublish={canEdit}
          onPublished={async () => {
            await onChanged();
            await explain.run();
          }}
        />
      )}
    </section>
  );
}

const LAMPS = { works: 'lamp', fails: 'lamp lamp-bad', unsure: 'lamp lamp-unknown' } as const;
/** Before the words, which say themselves that a site works. */
const LABELS = { fails: 'It fails.', unsure: 'Not certain.' } as const;

/** How a step went. */
function verdictOf(ok: boolean | null): Explanation['verdict'] {
  if (ok === null) return 'unsure';
  return ok ? 'works' : 'fails';
}

const Outcome = ({ explanation: { verdict, words } }: { explanation: Explanation }) => (
  <p class="line baseline">
    <span class={LAMPS[verdict]} aria-hidden="true" />
    <span class={verdict === 'works' ? 'good' : undefined}>
      {verdict !== 'works' && <strong>{LABELS[verdict]} </strong>}
      {words}
    </span>
  </p>
);

const TITLES: Readonly<Record<Explanation['steps'][number]['step'], string>> = {
  name: 'Name',
  port: 'Port',
  certificate: 'Certificate',
  policy: 'Policies',
  connect: 'Connection',
  speak: 'Protocol',
  answer: 'Answer',
};

/** A dot for each step; that which fails is open, and any other can be. */
function Way({ explanation: { steps, step } }: { explanation: Explanation }) {
  const [open, setOpen] = useState(step);
  // Another explanation opens its own.
  useEffect(() => setOpen(step), [steps]);
  const shown = steps.find((one) => one.step === open);
  return (
    <div>
      <ol class="explain-way plain">
        {steps.map(({ step: name, ok }) => (
          <li key={name}>
            <button
              type="button"
              class="quiet explain-step"
              aria-label={`${TITLES[name]}: ${ok === null ? 'not known' : verdictOf(ok)}`}
              aria-expanded={open === name}
              onClick={() => setOpen(open === name ? null : name)}
            >
              <span class={LAMPS[verdictOf(ok)]} aria-hidden="true" />
              {TITLES[name]}
            </button>
          </li>
        ))}
      </ol>
      {shown && <p class="small">{shown.words}</p>}
    </div>
  );
}

/** Loaded when there is something to cure. */
const Cure = lazy(async () => (await import('./cure.tsx')).Cure);
