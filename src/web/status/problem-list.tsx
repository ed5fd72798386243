/** All problems: a card for each cause, the worst first. What is known or can wait is folded, as what a source will undo is below. */
import type { ComponentChildren } from 'preact';
import type { Problem, Status, Vhost } from '../lib/types.ts';
import { WithCode } from '../parts/notice.tsx';
import { Time } from '../parts/time.tsx';
import { ProblemLine, WhatToDo } from './problem-line.tsx';
import {
  countedIn,
  differencesIn,
  groupsOf,
  levelOf,
  othersWords,
  type Site,
  sitesLost,
  sitesOf,
  titleOfGroup,
  wordsWithoutSites,
} from './problems.ts';

/** Of a card, at once; the others on demand. */
const FIRST = 6;
/** More than anyone reads; the list of sites has them all. */
const MOST = 50;

type Props = {
  status: Status;
  /** All of the hub, for the names of those that a dead proxy served. */
  sites?: readonly Vhost[];
};

export function ProblemList({ status, sites = [] }: Props) {
  const counted = countedIn(status.problems);
  const others = status.problems.filter((one) => !counted.includes(one));
  const cards = (problems: readonly Problem[]) =>
    groupsOf(problems)
      .slice(0, MOST)
      .map((group) => (
        <ProblemCard key={group[0]?.key} group={group} status={status} sites={sites} />
      ));
  return (
    <>
      <ul class="problems plain">
        {cards(counted)}
        {differencesIn(status).map((words) => (
          <li key={words} class="problem-warn small">
            {words} <a href="/changelog">Changelog</a>
          </li>
        ))}
      </ul>
      {others.length > 0 && (
        <details class="small">
          <summary class="muted">{othersWords(others)}</summary>
          <ul class="problems plain">{cards(others)}</ul>
        </details>
      )}
    </>
  );
}

type CardProps = { group: readonly Problem[]; status: Status; sites: readonly Vhost[] };

function ProblemCard({ group, status, sites }: CardProps) {
  const [first] = group;
  if (!first) return null;
  const named = group.flatMap(sitesOf);
  const [only, ...others] = named;
  const title = titleOfGroup(group);
  const isTitle = first.code === 'WARNING';
  const said = {
    message: isTitle || isSame(group.map(wordsWithoutSites)),
    cure: isSame(group.map(({ cure }) => cure?.words)),
  };
  // What is known is not good, and neither is what can wait.
  const level = countedIn(group).length === 0 ? 'unknown' : levelOf(group);
  const since = group.map((one) => one.since).toSorted()[0];
  return (
    <li class={`problem-${level}`}>
      <div class="line baseline">
        <span class={`lamp lamp-${level}`} aria-hidden="true" />
        <h3>
          {only && others.length === 0 ? (
            <a class="name" href={`/sites/${only.id}`}>
              {title}
            </a>
          ) : (
            title
          )}
        </h3>
        <span class="end small muted">{since && <Time at={since} />}</span>
      </div>
      {said.message && !isTitle && (
        <p class="small">
          <WithCode text={wordsWithoutSites(first)} />
        </p>
      )}
      {said.cure && <WhatToDo cure={first.cure} />}
      <Folded
        items={group.map((problem) => (
          <ProblemLine
            key={problem.key}
            problem={problem}
            status={status}
            isNamed={group.length > 1}
            said={said}
          />
        ))}
      />
      {group.length === 1 && <Names sites={named.length > 1 ? named : sitesLost(first, sites)} />}
    </li>
  );
}

const isSame = (texts: readonly (string | undefined)[]): boolean =>
  texts.length > 1 && new Set(texts).size === 1;

/** Whom a single problem concerns, if it is not one site. */
const Names = ({ sites }: { sites: readonly Site[] }) => (
  <div class="row small">
    <Folded
      items={sites.map(({ id, domain }) => (
        <a key={id} href={`/sites/${id}`}>
          {domain}
        </a>
      ))}
    />
  </div>
);

/** The first ones, and a fold with the others, of which there are as many as anyone reads. */
function Folded({ items }: { items: readonly ComponentChildren[] }) {
  const later = items.slice(FIRST, MOST);
  const rest = items.length - MOST;
  return (
    <>
      {items.slice(0, FIRST)}
      {later.length > 0 && (
        <details class="small span">
          <summary>{items.length - FIRST} more</summary>
          {later}
          {rest > 0 && <a href="/sites?show=problems">{rest} more in the list of sites</a>}
        </details>
      )}
    </>
  );
}
