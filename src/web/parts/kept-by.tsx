/** Says of a site or a policy what keeps it as it is, if that is not people. */
import { keeperOf, nextOf } from '../lib/source.ts';
import { Notice } from './notice.tsx';

/** For the top of a form. @param source null if people keep it */
export const KeptBy = ({ source }: { source: string | null }) =>
  source === null ? null : (
    <Notice kind="info">
      Managed by {keeperOf(source)}: {nextOf(source)} undoes what you change here.
    </Notice>
  );

/** For a list; leads to the sites of the source. */
export const SourceMark = ({ source }: { source: string }) => (
  <a
    class="proxy-mark cut"
    href={`/sites?source=${encodeURIComponent(source)}`}
    title={`Managed by ${keeperOf(source)}: show its sites`}
  >
    from {keeperOf(source)}
  </a>
);
