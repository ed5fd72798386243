/** Says so where a page breaks, instead of leaving half of it; menu and status stay. */
import type { ComponentChildren } from 'preact';
import { useErrorBoundary } from 'preact/hooks';
import { sentenceOf } from '../lib/api.ts';
import { Notice } from './notice.tsx';

export function Guarded({ children }: { children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary();
  if (error === undefined) return <>{children}</>;
  return (
    <Notice kind="error" title="This page has a fault" detail={sentenceOf(error)}>
      <p>
        Nothing was changed by it.{' '}
        <button type="button" class="link" onClick={reset}>
          Show it again
        </button>
      </p>
    </Notice>
  );
}
