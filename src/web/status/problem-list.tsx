/** All problems, worst first, those of one site together; each can be marked as known. Below them, what a source will undo. */
import { send, wordsOf } from '../lib/api.ts';
import { clockTime } from '../lib/format.ts';
import { useHub } from '../lib/hub.ts';
import { neededAt, useCan } from '../lib/roles.ts';
import type { Obstacle, Problem, Status } from '../lib/types.ts';
import { useSubmit } from '../lib/use-form.ts';
import { DialogButton } from '../parts/dialog.tsx';
import { lazy } from '../parts/loading.tsx';
import { Notice, WithCode } from '../parts/notice.tsx';
import { Time } from '../parts/time.tsx';
import {
  countedIn,
  differencesIn,
  type Group,
  groupsOf,
  levelOf,
  linkOf,
  moreWords,
} from './problems.ts';

const KnownDialog = lazy(async () => (await import('./known-dialog.tsx')).KnownDialog);

/** More than anyone reads; the list of sites has them all. */
const MOST = 50;

type Props = {
  status: Status;
  /** How many are shown at once; the others on demand, so that what is below stays in view. */
  first?: number;
};

export function ProblemList({ status, first = MOST }: Props) {
  const groups = groupsOf(status.problems);
  const shown = groups.slice(0, MOST);
  const later = shown.slice(first);
  const rest = problemsIn(groups.slice(MOST));
  const list = (some: readonly Group[], more: readonly Problem[], undone: readonly string[]) => (
    <ul class="problems plain">
      {some.map((group) => (
        <GroupItem key={group.problems[0]?.key} group={group} status={status} />
      ))}
      {more.length > 0 && (
        <li>
          <a href="/sites?show=problems">{moreWords(more)} in the list of sites</a>
        </li>
      )}
      {undone.map((words) => (
        <li key={words}>
          <span class="lamp lamp-warn" aria-hidden="true" />
          <div>
            {words} <a href="/changelog">Changelog</a>
          </div>
        </li>
      ))}
    </ul>
  );
  return (
    <>
      {list(shown.slice(0, first), later.length === 0 ? rest : [], differencesIn(status))}
      {later.length > 0 && (
        <details>
          <summary>{moreWords([...problemsIn(later), ...rest])}</summary>
          {list(later, rest, [])}
        </details>
      )}
    </>
  );
}

const problemsIn = (groups: readonly Group[]) => groups.flatMap(({ problems }) => problems);

function GroupItem({ group: { vhost, problems }, status }: { group: Group; status: Status }) {
  // What is known is not good, and neither is what can wait.
  const level = countedIn(problems).length === 0 ? 'unknown' : levelOf(problems);
  return (
    <li class="line baseline">
      <span class={`lamp lamp-${level}`} aria-hidden="true" />
      <div>
        {vhost && <a href={`/sites/${vhost.id}`}>{vhost.domain}</a>}
        {problems.map((problem) => (
          <Line key={problem.key} problem={problem} status={status} />
        ))}
      </div>
    </li>
  );
}

function Line({ problem, status }: { problem: Problem; status: Status }) {
  const { code, vhost, message, since, cure } = problem;
  const found = vhost ? null : linkOf(problem);
  const link = useCan(neededAt(found?.to ?? '')) ? found : null;
  return (
    <div class="problem">
      <WithCode text={message} /> {link && <a href={link.to}>{link.label}</a>}{' '}
      <span class="muted">
        <Time at={since} />
      </span>{' '}
      <Known problem={problem} />
      {cure && (
        <span class="block small">
          What to do: <WithCode text={cure.words} />
        </span>
      )}
      {code === 'ADVISORY' && (
        <details>
          <summary>Which ones</summary>
          <ul>
            {status.advisories?.map(({ id, summary, fixedIn }) => (
              <li key={id}>
                <a href={`https://github.com/advisories?query=${id}`} rel="noreferrer">
                  {id}
                </a>
                {`: ${summary} Fixed in ${fixedIn}.`}
              </li>
            ))}
          </ul>
        </details>
      )}
      {code === 'ADVISORY' && status.beforeUpgrade.length > 0 && (
        <details open>
          <summary>What to change before the upgrade, because a newer Caddy refuses it</summary>
          <ul>
            {status.beforeUpgrade.map((one) => (
              <li key={`${one.vhost?.id} ${one.agents} ${one.line} ${one.detail}`}>
                <Where obstacle={one} />
                {`, line ${one.line}: ${one.detail} ${one.instead}`}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function Where({ obstacle: { vhost, agents } }: { obstacle: Obstacle }) {
  const canEdit = useCan('editor');
  if (vhost) return <a href={`/sites/${vhost.id}`}>{vhost.domain}</a>;
  const words = `The preamble${agents ? ` of ${agents.join(', ')}` : ''}`;
  return canEdit ? <a href="/preamble">{words}</a> : words;
}

/** `Known until 1 Dec, 08:00 (Ann)`. */
export const knownWords = ({ until, by }: NonNullable<Problem['known']>, now: Date): string =>
  `Known until ${until === null ? 'it is over' : clockTime(until, now)} (${by})`;

/** The mark of a problem that is known, and the way to set and remove it. */
export function Known({ problem }: { problem: Problem }) {
  const { key, known } = problem;
  const { refresh } = useHub();
  const canEdit = useCan('editor');
  const path = `/problems/${key}/known`;
  const forget = useSubmit(async () => {
    await send('DELETE', path);
    refresh();
  });
  if (known) {
    return (
      <>
        <span class="tag">{knownWords(known, new Date())}</span>{' '}
        {canEdit && (
          <button
            type="button"
            class="link"
            disabled={forget.busy}
            onClick={() => void forget.run()}
          >
            Count it again
          </button>
        )}
        {forget.error !== null && <Notice kind="error">{wordsOf(forget.error)}</Notice>}
      </>
    );
  }
  if (!canEdit) return null;
  return (
    <DialogButton button="Mark as known …" class="link">
      {(close) => <KnownDialog problem={problem} path={path} onClose={close} />}
    </DialogButton>
  );
}
