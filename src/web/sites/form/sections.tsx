/** The parts of the form of a site: what differs from a plain new site is in sight, the rest unfolds. */
import { Fragment, type VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { changedFields, type Draft, type DraftField, EMPTY } from './draft.ts';

export type Section = {
  /** As in `More: policies, tags`. */
  name: string;
  fields: readonly DraftField[];
  hasError: boolean;
  view: VNode;
};

type Props = { draft: Draft; sections: readonly Section[] };

/** Nothing moves while somebody types: what is in sight is decided when the form opens. */
export function Sections({ draft, sections }: Props) {
  const [start] = useState(draft);
  const more = useRef<HTMLDetailsElement>(null);
  const [unusual, changed] = [changedFields(EMPTY, start), changedFields(start, draft)];
  const shown = sections.filter(({ fields }) => fields.some((name) => unusual.includes(name)));
  const rest = sections.filter((section) => !shown.includes(section));
  const isWanted = rest.some(
    ({ fields, hasError }) => hasError || fields.some((name) => changed.includes(name)),
  );
  useEffect(() => {
    if (isWanted && more.current) more.current.open = true;
  }, [isWanted]);
  const views = (of: readonly Section[]) =>
    of.map(({ name, view }) => <Fragment key={name}>{view}</Fragment>);
  return (
    <>
      {views(shown)}
      {rest.length > 0 && (
        <details ref={more} class="site-more">
          <summary>More: {rest.map(({ name }) => name).join(', ')}</summary>
          {views(rest)}
        </details>
      )}
    </>
  );
}
