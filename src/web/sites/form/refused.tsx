/** Why a site was not saved: the change was refused, or someone else has changed the site. */
import { ApiError, send, sentenceOf } from '../../lib/api.ts';
import { wordsOfCheck } from '../../lib/check.ts';
import { useHub } from '../../lib/hub.ts';
import type { Policy, Vhost } from '../../lib/types.ts';
import { useSubmit } from '../../lib/use-form.ts';
import { RefusedChange } from '../../parts/refused-change.tsx';
import { changedFields, type Draft, type DraftField, draftOf } from './draft.ts';
import { PolicyFault } from './preview-panel.tsx';

type Props = {
  error: unknown;
  /** Of the config that the form shows. */
  line: number | null;
  /** For a link to the one at fault. */
  policies: readonly Policy[];
  onReplace: () => Promise<void>;
  /** The proxies that the form places the site on; none: all. */
  placed: readonly string[];
  onPlace: (agents: string[]) => void;
};

export function Refusal({ error, line, policies, onReplace, placed, onPlace }: Props) {
  const { policy = null, body } = error instanceof ApiError ? error : {};
  return (
    <RefusedChange error={error} onReplace={onReplace}>
      {policy && <PolicyFault fault={policy} policies={policies} />}
      {!policy && line !== null && <p>See line {line} of the config.</p>}
      {typeof body?.agent === 'string' && (
        <WithoutProxy name={body.agent} placed={placed} onPlace={onPlace} />
      )}
    </RefusedChange>
  );
}

type WithoutProxyProps = { name: string } & Pick<Props, 'placed' | 'onPlace'>;

/** The ways around the only proxy that refuses a site, if there are others. */
function WithoutProxy({ name, placed, onPlace }: WithoutProxyProps) {
  const { agents } = useHub();
  const { busy, error, run } = useSubmit(() =>
    send('PATCH', `/agents/${encodeURIComponent(name)}`, { paused: true }),
  );
  const all = placed.length > 0 ? placed : agents.map((agent) => agent.name);
  const others = all.filter((one) => one !== name);
  const isPaused = agents.find((agent) => agent.name === name)?.paused;
  if (agents.length < 2) return null;
  return (
    <p class="row">
      <button type="button" disabled={busy || isPaused} onClick={run}>
        {isPaused ? `${name} is paused: save again` : `Pause ${name}`}
      </button>
      {others.length > 0 && placed.length !== others.length && (
        <button type="button" onClick={() => onPlace(others)}>
          Serve it on {others.join(', ')} only
        </button>
      )}
      {error !== null && <span class="bad">{sentenceOf(error)}</span>}
    </p>
  );
}

type ConflictProps = {
  /** The site as it was loaded. */
  base: Draft;
  draft: Draft;
  theirs: Vhost;
};

const NAMES: Record<DraftField, string> = {
  domain: 'Domain',
  names: 'Further names',
  upstream: 'Forward to',
  policies: 'Policies',
  except: 'Policies left out',
  tags: 'Tags',
  agents: 'Where it is served',
  check: 'Check',
  config: 'Config',
  enabled: 'Served',
};
function textOf(draft: Draft, field: DraftField): string {
  if (field === 'check') return draft.check ? wordsOfCheck(draft.check) : '(none)';
  const value = draft[field];
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = typeof value === 'string' ? value : value.join(', ');
  return text || (field === 'agents' ? 'everywhere' : '(none)');
}

/** Lets the user choose when someone else changed the site they were editing. */
export function Conflict({ base, draft, theirs }: ConflictProps) {
  const theirDraft = draftOf(theirs);
  const fields = changedFields(base, theirDraft);
  const both = changedFields(base, draft).filter((field) => fields.includes(field));
  return (
    <div class="notice notice-warning" role="alert">
      <strong>Someone else changed this site while you were editing it</strong>
      <p>
        {both.length === 0
          ? 'They changed different fields: if you keep your changes, theirs stay as well.'
          : 'You changed the same field: if you keep your changes, theirs are lost.'}
      </p>
      <dl class="conflict stack">
        {fields.map((field) => (
          <div key={field}>
            <dt>{NAMES[field]} is now</dt>
            <dd>
              <pre class="proxy-words">{textOf(theirDraft, field)}</pre>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
