/** Shows what an import will do, and asks for confirmation. */
import { useState } from 'preact/hooks';
import { plural } from '../lib/format.ts';
import { useHub } from '../lib/hub.ts';
import type { ImportAnswer } from '../lib/types.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { ReplacesForeign } from '../parts/replace-foreign.tsx';
import { firstLines, type ImportSummary, importSummary } from './import-summary.ts';

export type Plan = {
  answer: ImportAnswer;
  present: { preamble: string; domains: readonly string[] };
};

/** A longer list would be slow, and nobody reads it. */
const MAX_SHOWN = 200;
const FIRST_LINES = 3;

export function PlanView({ plan, onImport }: { plan: Plan; onImport: () => Promise<void> }) {
  const { status } = useHub();
  const [asking, setAsking] = useState(false);
  const { answer, present } = plan;
  const { vhosts, skipped, preamble } = answer;
  const summary = importSummary(answer, present);
  const sites = plural(vhosts.length, 'site');
  return (
    <section class="plan" aria-label="Import plan">
      <h3>
        <span role="status">This file contains {sites}</span>
      </h3>
      <p>{preambleSentence(summary)}</p>
      {preamble.trim() !== '' && (
        <details>
          <summary>Preamble, {plural(preamble.split('\n').length, 'line')}</summary>
          <CodeBlock text={preamble} label="Preamble of the file" />
        </details>
      )}
      {skipped.length > 0 && (
        <>
          <p>Left out because it has no effect:</p>
          <ul>
            {skipped.map(({ line, reason }) => (
              <li key={line}>
                Line {line}: <span class="mono">{reason}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <ul class="plan-sites">
        {vhosts.slice(0, MAX_SHOWN).map((site, at) => (
          <SiteItem key={at} site={site} />
        ))}
      </ul>
      {vhosts.length > MAX_SHOWN && (
        <p class="muted">and {plural(vhosts.length - MAX_SHOWN, 'more site')}</p>
      )}
      <div class="actions">
        <button type="button" class="primary" onClick={() => setAsking(true)}>
          Import {sites}
        </button>
      </div>
      {asking && (
        <Confirm
          title={`Import ${sites}?`}
          action={`Import ${sites}`}
          kind="primary"
          onConfirm={onImport}
          onClose={() => setAsking(false)}
        >
          <p>
            {vhosts.length > 0 && 'Either all of them go live at once, or none does. '}
            {preambleSentence(summary)}
          </p>
          {summary.kept > 0 && <p>Your {plural(summary.kept, 'existing site')} will stay.</p>}
          {status?.foreign && <ReplacesForeign />}
        </Confirm>
      )}
    </section>
  );
}

function preambleSentence({ preamble }: ImportSummary): string {
  if (preamble === 'same') return 'The preamble stays the same.';
  if (preamble === 'new') return 'Your preamble is empty; the one from the file will be used.';
  return 'The preamble will be replaced by the one from the file. Ports that the file does not set may be kept.';
}

function SiteItem({
  site: { domain, config, upstream },
}: {
  site: ImportAnswer['vhosts'][number];
}) {
  const { head, more } = firstLines(config, FIRST_LINES);
  return (
    <li>
      <details>
        <summary>
          <strong class="mono">{domain}</strong>
          {upstream !== '' && <span class="muted mono"> → {upstream}</span>}
          <pre class="first-lines">
            {head}
            {more > 0 && <span class="muted">{`\n… ${plural(more, 'more line')}`}</span>}
          </pre>
        </summary>
        <CodeBlock text={config} label={`Configuration of ${domain}`} />
      </details>
    </li>
  );
}
