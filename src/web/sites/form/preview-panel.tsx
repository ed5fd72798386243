/** Shows what the change does to the Caddyfile, or why Caddy would refuse it. */

import { changesGuards } from '../../lib/guards.ts';
import type { Policy } from '../../lib/types.ts';
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
