/** Shows what an import will do, and carries it out. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { get } from '../../../web/lib/api.ts';
import { plural } from '../../../web/lib/format.ts';
import { useHub } from '../../../web/lib/hub.ts';
import type { Vhost } from '../../../web/lib/types.ts';
import { useSubmit } from '../../../web/lib/use-form.ts';
import { ChangeQuestions } from '../../../web/parts/change-questions.tsx';
import { CodeBlock } from '../../../web/parts/code-block.tsx';
import { ReplacesForeign } from '../../../web/parts/dialog.tsx';
import { Doubts, Notice, RefusedNotice } from '../../../web/parts/notice.tsx';
import type { ImportAnswer } from '../schemas.ts';
import { MergeChoices } from './merge-choices.tsx';
import { type Choices, conflictsOf, firstChoices, importSummary } from './summary.ts';

/** What the hub is asked about a file: what to do about what is there, or null to leave all of it. */
export type Asked = { choices: Choices | null; dryRun: boolean; replay?: boolean };

/**
 * Of a file `F`: what the hub would make of it, what is chosen, and in the end what was imported.
 * @param ask has the hub import it, or say what it would do; sites that are there are skipped if not chosen
 */
export function useImport<F, A extends ImportAnswer>(ask: (file: F, how: Asked) => Promise<A>) {
  const hub = useHub();
  const [plan, setPlan] = useState<{ file: F; answer: A; existing: number } | null>(null);
  const [choices, setChoices] = useState<Choices>({ sides: {}, replace: [] });
  const [imported, setImported] = useState<A | null>(null);
  const forget = () => {
    setPlan(null);
    setImported(null);
  };
  const {
    busy,
    error,
    clear,
    run: look,
  } = useSubmit(async (file: F) => {
    forget();
    const [answer, { length: existing }] = await Promise.all([
      ask(file, { choices: null, dryRun: true }),
      get<Vhost[]>('/vhosts'),
    ]);
    setPlan({ file, answer, existing });
    setChoices(firstChoices(conflictsOf(answer.merge), existing > 0));
  });
  return {
    busy,
    error,
    look,
    /** Because there is another file. */
    reset() {
      forget();
      clear();
    },
    imported,
    plan: plan && {
      ...plan,
      choices,
      setChoices,
      /** @returns the id of a replay of it */
      replay: async () =>
        String((await ask(plan.file, { choices, dryRun: true, replay: true })).replay),
      async publish() {
        setImported(await ask(plan.file, { choices, dryRun: false }));
        setPlan(null);
        hub.refresh();
      },
    },
  };
}

type Plan = NonNullable<ReturnType<typeof useImport>['plan']>;

/** A longer list would be slow, and nobody reads it. */
const MAX_SHOWN = 200;

type ContentsProps = {
  plan: Plan;
  /** Shown before what there is to choose. */
  children?: ComponentChildren;
};

/** What a file has in it: what there is to choose, and folded what needs no decision. */
export function PlanContents({ plan: { answer, choices, setChoices }, children }: ContentsProps) {
  const { skipped, preamble, merge } = answer;
  const conflicts = conflictsOf(merge);
  const summary = importSummary(merge, choices);
  const vhosts = answer.vhosts.filter((_, at) => merge.sites[at]?.action === 'create');
  return (
    <>
      <h3>
        <span role="status">This file contains {plural(merge.sites.length, 'site')}</span>
      </h3>
      <p>
        {summary.same > 0 && `You already have ${plural(summary.same, 'site')} of it. `}
        {summary.preamble.join(' ')}
      </p>
      <Doubts warnings={answer.warnings} />
      {children}
      <MergeChoices conflicts={conflicts} choices={choices} onChange={setChoices} />
      {vhosts.length > 0 && (
        <details open={conflicts.parts.length + conflicts.sites.length === 0}>
          <summary>{plural(vhosts.length, 'new site')}</summary>
          <ul class="plan-sites plain box">
            {vhosts.slice(0, MAX_SHOWN).map((site, at) => (
              <SiteItem key={at} site={site} />
            ))}
          </ul>
          {vhosts.length > MAX_SHOWN && (
            <p class="muted">and {plural(vhosts.length - MAX_SHOWN, 'more site')}</p>
          )}
        </details>
      )}
      {preamble.trim() !== '' && (
        <details>
          <summary>Caddy options, {plural(preamble.split('\n').length, 'line')}</summary>
          <CodeBlock text={preamble} label="Caddy options of the file" />
        </details>
      )}
      {skipped.length > 0 && (
        <details>
          <summary>{plural(skipped.length, 'line')} without effect, left out</summary>
          <ul>
            {skipped.map(({ line, reason }) => (
              <li key={line}>
                Line {line}: <span class="mono">{reason}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** Says what will happen, and imports; before that, asks the last week if that is wanted. @param onImported once it is live */
export function ImportButton({ plan, onImported }: { plan: Plan; onImported?: () => void }) {
  const { status } = useHub();
  const { busy, error, run } = useSubmit(async () => {
    await plan.publish();
    onImported?.();
  });
  const { existing, choices } = plan;
  const { isEmpty, added, replaced } = importSummary(plan.answer.merge, choices);
  const imported = added + replaced;
  const action = `Import ${imported > 0 ? plural(imported, 'site') : 'the Caddy options'}`;
  if (isEmpty) return <p class="strong">Nothing to import.</p>;
  return (
    <>
      <ChangeQuestions of={{ about: JSON.stringify(choices), begin: plan.replay }} />
      {status?.foreign && (
        <Notice kind="warning">
          <ReplacesForeign />
        </Notice>
      )}
      {error !== null && <RefusedNotice error={error} />}
      <p class="muted">
        {imported > 0 && 'All of them go live at once, or none does. '}
        {replaced > 0 && `${plural(replaced, 'site')} will be replaced. `}
        {existing > replaced && `Your ${plural(existing - replaced, 'existing site')} will stay.`}
      </p>
      <div class="actions">
        <button type="button" class="primary" disabled={busy} onClick={() => run()}>
          {busy ? 'Publishing …' : action}
        </button>
      </div>
    </>
  );
}

const SiteItem = ({
  site: { domain, config, upstream },
}: {
  site: ImportAnswer['vhosts'][number];
}) => (
  <li>
    <details>
      <summary>
        <strong class="mono">{domain}</strong>
        {upstream !== '' && <span class="muted mono"> → {upstream}</span>}
      </summary>
      <CodeBlock text={config} label={`Configuration of ${domain}`} />
    </details>
  </li>
);
