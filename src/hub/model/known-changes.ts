/** The changes that people make to what is known: problems that are left out of counts and messages. Pure. */
import type { Change, Step } from './changes.ts';
import type { KnownProblem, SiteSet } from './vhost.ts';

/** What a person says of problems. */
export type Saying = Pick<KnownProblem, 'until' | 'by'>;

const step = (before: KnownProblem | null, after: KnownProblem | null): Step => ({
  kind: 'known',
  before,
  after,
  vhosts: [],
});

/** Notes that problems are known, also again. */
export const knownChange =
  (
    problems: readonly Pick<KnownProblem, 'problem' | 'words'>[],
    saying: Saying,
  ): Change<undefined> =>
  (set, time) => {
    let next = set;
    const steps = problems.map((one) => {
      const before = set.known.find(({ problem }) => problem === one.problem) ?? null;
      const { id, createdAt } = before ?? { id: next.nextKnownId, createdAt: time };
      const after = { ...one, ...saying, id, createdAt, updatedAt: time };
      next = withKnown(next, after);
      return step(before, after);
    });
    return { next, steps, result: undefined };
  };

/** Has problems count again; those that are not known stay as they are. */
export const unknownChange =
  (isOne: (one: KnownProblem) => boolean): Change<undefined> =>
  (set) => {
    const gone = set.known.filter(isOne);
    if (gone.length === 0) return { done: undefined };
    const known = set.known.filter((one) => !gone.includes(one));
    return {
      next: { ...set, known },
      steps: gone.map((one) => step(one, null)),
      result: undefined,
    };
  };

/** Notes again what was known, as it was. */
export const knownAgainChange =
  (old: KnownProblem): Change<undefined> =>
  (set) => {
    const before = set.known.find(({ id }) => id === old.id) ?? null;
    return { next: withKnown(set, old), steps: [step(before, old)], result: undefined };
  };

const withKnown = (set: SiteSet, one: KnownProblem): SiteSet => ({
  ...set,
  known: [...set.known.filter(({ id }) => id !== one.id), one],
  nextKnownId: Math.max(set.nextKnownId, one.id + 1),
});
