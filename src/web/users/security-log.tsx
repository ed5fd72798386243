/** The security log, for owners: who signed in, who was refused, and who changed who may do what. */
import { useState } from 'preact/hooks';
import { clientName } from '../account/describe.ts';
import { get } from '../lib/api.ts';
import { localTime } from '../lib/format.ts';
import { navigate } from '../lib/router.ts';
import type { SecurityEntry } from '../lib/types.ts';
import { useLoad } from '../lib/use-load.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Field } from '../parts/field.tsx';
import { SkeletonRows } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';

const KINDS: Readonly<Record<SecurityEntry['kind'], string>> = {
  'sign-in': 'Sign-in',
  'sign-out': 'Sign-out',
  refusal: 'Refusal',
  session: 'Session',
  password: 'Password',
  factor: 'Second factor',
  account: 'Account',
  role: 'Role',
  invitation: 'Invitation',
  token: 'API token',
  agent: 'Proxy',
  channel: 'Channel',
  certificate: 'Certificate',
  restore: 'Restore',
};
const OUTCOMES: Readonly<Record<SecurityEntry['outcome'], string>> = {
  ok: 'done',
  half: 'second factor missing',
  refused: 'refused',
  locked: 'locked',
};

/** Entries per page of the API. */
const PAGE = 50;

export function SecurityLog({ query }: { query: URLSearchParams }) {
  const given = query.get('kind') ?? '';
  const kind = Object.hasOwn(KINDS, given) ? given : '';
  return (
    <>
      <h1>Security log</h1>
      <p class="muted">
        Who signed in or was refused, and who changed accounts, roles, factors, tokens, proxies and
        channels. Changes of sites are under Changes. The last 10,000 entries stay, for a year.
      </p>
      <search class="row bottom below">
        <Field label="Kind">
          {(attributes) => (
            <select
              {...attributes}
              value={kind}
              onChange={({ currentTarget: { value } }) =>
                navigate(value === '' ? '/security-log' : `/security-log?kind=${value}`)
              }
            >
              <option value="">Any</option>
              {Object.entries(KINDS).map(([name, words]) => (
                <option key={name} value={name}>
                  {words}
                </option>
              ))}
            </select>
          )}
        </Field>
      </search>
      <Entries key={kind} kind={kind} />
    </>
  );
}

/** @param kind empty: all */
function Entries({ kind }: { kind: string }) {
  const [isFull, setFull] = useState(false);
  const page = async (before: number | null, signal?: AbortSignal) => {
    const wanted = { ...(kind && { kind }), ...(before !== null && { before: String(before) }) };
    const found = await get<SecurityEntry[]>(
      `/security-log?${new URLSearchParams(wanted)}`,
      signal,
    );
    setFull(found.length === PAGE);
    return found;
  };
  const { data, error, set } = useLoad(`security log ${kind}`, (signal) => page(null, signal));
  const loadOlder = async () => {
    const more = await page(data?.at(-1)?.id ?? null);
    set((old) => [...(old ?? []), ...more]);
  };
  return (
    <>
      {error && <Notice kind="error">{error}</Notice>}
      {!data && !error && <SkeletonRows rows={8} label="Loading the security log" />}
      {data?.length === 0 && <p class="empty muted">There are no such entries.</p>}
      {data && data.length > 0 && (
        <ol class="card entries plain above" aria-label="Entries">
          {data.map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
        </ol>
      )}
      {isFull && (
        <div class="above center">
          <ActionButton busy="Loading …" act={loadOlder}>
            Older entries
          </ActionButton>
        </div>
      )}
    </>
  );
}

function Entry({ entry }: { entry: SecurityEntry }) {
  const { at, kind, actorName, via, target, ip, userAgent, outcome, detail } = entry;
  const isBad = outcome === 'refused' || outcome === 'locked';
  return (
    <li>
      <div>
        <strong>{KINDS[kind] ?? kind}</strong>
        {detail && ` ${detail}`}
        {target && target !== actorName && (
          <>
            : <span class="mono">{target}</span>
          </>
        )}{' '}
        {outcome !== 'ok' && (
          <span class={isBad ? 'tag tag-bad' : 'tag'}>{OUTCOMES[outcome] ?? outcome}</span>
        )}
        <p class="muted">
          <time dateTime={at}>{localTime(at)}</time> · {actorName}
          {via !== null && ` using the token ${via}`}
          {ip && (
            <>
              {' '}
              · <span class="mono">{ip}</span>
            </>
          )}
          {userAgent && <span title={userAgent}> · {clientName(userAgent)}</span>}
        </p>
      </div>
    </li>
  );
}
