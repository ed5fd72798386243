/** A problem in its card: what is wrong, where it is solved, and what to do. */
import { PROBLEM_CURES } from '../features.ts';
import { useHub } from '../lib/hub.ts';
import { neededAt, useCan } from '../lib/roles.ts';
import type { Obstacle, Problem, Status } from '../lib/types.ts';
import { Dialog, DialogButton } from '../parts/dialog.tsx';
import { WithCode } from '../parts/notice.tsx';
import { Known } from './known.tsx';
import { linkOf, sitesOf, wordsWithoutSites } from './problems.ts';

type Props = {
  problem: Problem;
  status: Status;
  /** Whether the card itself says no name. */
  isNamed: boolean;
  /** Whether the card itself says the message, or what to do. */
  said: { message: boolean; cure: boolean };
};

export function ProblemLine({ problem, status, isNamed, said }: Props) {
  const sites = sitesOf(problem);
  const found = sites.length > 0 ? null : linkOf(problem);
  const link = useCan(neededAt(found?.to ?? '')) ? found : null;
  const { code, cure } = problem;
  return (
    <div class="problem small">
      {isNamed &&
        sites.map(({ id, domain }) => (
          <a key={id} class="name" href={`/sites/${id}`}>
            {domain}
          </a>
        ))}{' '}
      {!said.message && <WithCode text={wordsWithoutSites(problem)} />}{' '}
      {link && <a href={link.to}>{link.label}</a>}
      {!said.cure && <WhatToDo cure={cure} />}
      {code === 'ADVISORY' && <Advisories status={status} />}
      <div class="row">
        {cure && <CureButton cure={cure} />}
        <Known problem={problem} />
      </div>
    </div>
  );
}

export const WhatToDo = ({ cure }: { cure: Problem['cure'] }) =>
  cure ? (
    <p class="small">
      <strong>What to do:</strong> <WithCode text={cure.words} />
    </p>
  ) : null;

/** Shows the change that solves a problem, to those who may publish it; none if it is done elsewhere. */
function CureButton({ cure }: { cure: NonNullable<Problem['cure']> }) {
  const { refresh } = useHub();
  const canEdit = useCan('editor');
  if (!canEdit || cure.operation === null) return null;
  return PROBLEM_CURES.map((Cure) => (
    <DialogButton key={Cure.name} button="Solve it …">
      {(close) => (
        <Dialog title="Solve this problem" onClose={close}>
          <Cure
            cure={cure}
            canPublish
            onPublished={() => {
              refresh();
              close();
            }}
          />
        </Dialog>
      )}
    </DialogButton>
  ));
}

/** The known vulnerabilities of Caddy, and what stands in the way of a version without them. */
const Advisories = ({ status: { advisories, beforeUpgrade } }: { status: Status }) => (
  <>
    <details>
      <summary>Which ones</summary>
      <ul>
        {advisories?.map(({ id, summary, fixedIn }) => (
          <li key={id}>
            <a href={`https://github.com/advisories?query=${id}`} rel="noreferrer">
              {id}
            </a>
            {`: ${summary} Fixed in ${fixedIn}.`}
          </li>
        ))}
      </ul>
    </details>
    {beforeUpgrade.length > 0 && (
      <details open>
        <summary>What to change before the upgrade, because a newer Caddy refuses it</summary>
        <ul>
          {beforeUpgrade.map((one) => (
            <li key={`${one.vhost?.id} ${one.agents} ${one.line} ${one.detail}`}>
              <Where obstacle={one} />
              {`, line ${one.line}: ${one.detail} ${one.instead}`}
            </li>
          ))}
        </ul>
      </details>
    )}
  </>
);

function Where({ obstacle: { vhost, agents } }: { obstacle: Obstacle }) {
  const canEdit = useCan('editor');
  if (vhost) return <a href={`/sites/${vhost.id}`}>{vhost.domain}</a>;
  const words = `The Caddy options${agents ? ` of ${agents.join(', ')}` : ''}`;
  return canEdit ? <a href="/preamble">{words}</a> : words;
}
