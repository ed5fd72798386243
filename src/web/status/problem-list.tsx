/** All problems, worst first, those of one site together. */
import { plural } from '../lib/format.ts';
import type { Obstacle, Problem, Status } from '../lib/types.ts';
import { Time } from '../parts/time.tsx';
import { type Group, groupsOf, levelOf, linkOf } from './problems.ts';

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
  const rest = sizeOf(groups.slice(MOST));
  const list = (some: readonly Group[], more: number) => (
    <ul class="problems plain">
      {some.map((group) => (
        <GroupItem key={group.problems[0]} group={group} status={status} />
      ))}
      {more > 0 && (
        <li>
          <a href="/sites?show=problems">{plural(more, 'more problem')} in the list of sites</a>
        </li>
      )}
    </ul>
  );
  return (
    <>
      {list(shown.slice(0, first), later.length === 0 ? rest : 0)}
      {later.length > 0 && (
        <details>
          <summary>{sizeOf(later) + rest} more</summary>
          {list(later, rest)}
        </details>
      )}
    </>
  );
}

const sizeOf = (groups: readonly Group[]) => groups.flatMap(({ problems }) => problems).length;

function GroupItem({ group: { vhost, problems }, status }: { group: Group; status: Status }) {
  return (
    <li>
      <span class={`lamp lamp-${levelOf(problems)}`} aria-hidden="true" />
      <div>
        {vhost && <a href={`/sites/${vhost.id}`}>{vhost.domain}</a>}
        {problems.map((problem) => (
          <Line key={`${problem.code} ${problem.message}`} problem={problem} status={status} />
        ))}
      </div>
    </li>
  );
}

function Line({ problem, status }: { problem: Problem; status: Status }) {
  const { code, vhost, message, since } = problem;
  const link = vhost ? null : linkOf(problem);
  return (
    <div class="problem">
      {message} {link && <a href={link.to}>{link.label}</a>}{' '}
      <span class="muted">
        <Time at={since} />
      </span>
      {code === 'ADVISORY' && (
        <details>
          <summary>Which ones</summary>
          <ul>
            {status.advisories?.map(({ id, summary, fixedIn }) => (
              <li key={id}>{`${id}: ${summary} Fixed in ${fixedIn}.`}</li>
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
  if (vhost) return <a href={`/sites/${vhost.id}`}>{vhost.domain}</a>;
  const whose = agents ? ` of ${agents.join(', ')}` : '';
  return <a href="/preamble">{`The preamble${whose}`}</a>;
}
