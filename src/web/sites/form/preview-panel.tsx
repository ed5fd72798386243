/** Shows what the change does to the Caddyfile, or why Caddy would refuse it. */
import { changesGuards } from '../../lib/guards.ts';
import type { Policy } from '../../lib/types.ts';
import { useMedia } from '../../lib/use-browser.ts';
import type { Verdict } from '../../lib/use-verdict.ts';
import { ChangeQuestions } from '../../parts/change-questions.tsx';
import { DiffView, diffLines } from '../../parts/diff-view.tsx';
import { Doubts, Hint, Notice } from '../../parts/notice.tsx';

type Props = {
  verdict: Verdict;
  /** What is previewed, if its replay is offered here. */
  operation?: object | null;
  /** For a link to the one at fault. */
  policies?: readonly Policy[];
};

export function PreviewPanel({ verdict, operation = null, policies = [] }: Props) {
  const lines = verdict.state === 'valid' ? diffLines(verdict.diff) : [];
  return (
    <section class="preview-box" aria-label="Preview">
      <h2>Preview</h2>
      {verdict.state === 'idle' && (
        <p class="muted">
          As you type, Caddy checks your changes, and the new lines of the Caddyfile appear here.
          Nothing is saved.
        </p>
      )}
      {verdict.state === 'checking' && <p class="muted">Checking …</p>}
      {verdict.state === 'unchecked' && (
        <Notice kind="warning" title={verdict.message} hint={verdict.hint} />
      )}
      {verdict.state === 'refused' && (
        <div class="notice notice-error" role="status">
          <strong>
            {verdict.line === null
              ? 'This would be refused'
              : `Caddy would refuse line ${verdict.line}`}
          </strong>
          <pre class="proxy-words">{verdict.message}</pre>
          {verdict.hint && <Hint text={verdict.hint} />}
          {verdict.policy && <PolicyFault fault={verdict.policy} policies={policies} />}
        </div>
      )}
      {verdict.state === 'valid' && (
        <>
          <Notice kind="success">Caddy accepts this.</Notice>
          <Doubts warnings={verdict.warnings} />
          {lines.length === 0 ? (
            <p class="muted">The Caddyfile stays the same.</p>
          ) : (
            <DiffView lines={lines} label="Changes to the Caddyfile" />
          )}
          {operation && lines.length > 0 && (
            <ChangeQuestions of={[operation]} isGuard={changesGuards(lines)} />
          )}
        </>
      )}
    </section>
  );
}

/** Of the style sheets: a form has room for its preview beside it. */
const BESIDE = '(min-width: 1100px)';
const PREVIEW = 'preview';

/** Beside its form, or folded below it. */
export function FormPreview(props: Props) {
  const isBeside = useMedia(BESIDE);
  const panel = (
    <div id={PREVIEW} tabIndex={-1}>
      <PreviewPanel {...props} />
    </div>
  );
  if (isBeside) return panel;
  return (
    <details class="card tight">
      <summary class="strong">Preview</summary>
      {panel}
    </details>
  );
}

const WORDS = {
  idle: null,
  checking: { look: 'muted', words: 'Checking' },
  valid: { look: 'good', words: 'Accepted' },
  refused: { look: 'bad', words: 'Would be refused' },
  unchecked: { look: 'warn', words: 'Not checked' },
} as const;

/** The verdict in a word, which leads to the preview. */
export function VerdictLink({ verdict: { state } }: { verdict: Verdict }) {
  const said = WORDS[state];
  return (
    said && (
      <a class={said.look} href={`#${PREVIEW}`} title="Show the preview">
        {said.words}
      </a>
    )
  );
}

type PolicyFaultProps = {
  fault: { name: string; field?: string | null | undefined };
  /** For the address of the one at fault. */
  policies: readonly Policy[];
};

/** Leads to the policy that made a change be refused. */
export function PolicyFault({ fault: { name, field }, policies }: PolicyFaultProps) {
  const policy = policies.find((one) => one.name === name);
  return (
    <p>
      See {field ? `the field ${field} of ` : ''}the policy{' '}
      <a href={policy ? `/policies/${policy.id}` : '/policies'}>{name}</a>.
    </p>
  );
}
