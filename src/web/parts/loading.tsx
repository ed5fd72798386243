/** Parts of the dashboard whose code is loaded when they are first shown, and what stands there until then. */
import type { ComponentChildren, ComponentType, FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Notice } from './notice.tsx';

/** A component in place of the one that `load` imports. @param waiting stands there until then */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  waiting: ComponentChildren = <SkeletonRows rows={6} label="Loading" />,
): FunctionComponent<Props> {
  let Known: ComponentType<Props> | null = null;
  return function Lazy(props: Props) {
    const [isMissing, setMissing] = useState(false);
    const [, setLoaded] = useState(Known !== null);
    useEffect(() => {
      if (Known) return;
      load().then(
        (loaded) => {
          Known = loaded;
          setLoaded(true);
        },
        () => setMissing(true),
      );
    }, []);
    if (isMissing) {
      // After an update, the hub no longer has the files of the old dashboard.
      return <Notice kind="error">This part could not be loaded. Reload the page.</Notice>;
    }
    return Known ? <Known {...props} /> : waiting;
  };
}

/** A placeholder about as tall as the list that is loading, so that the page does not jump. */
export function SkeletonRows({ rows, label }: { rows: number; label: string }) {
  return (
    <div class="stack" role="status" aria-busy="true">
      <span class="visually-hidden">{label}</span>
      {Array.from({ length: rows }, (_, at) => (
        <div key={at} class="skeleton-row" />
      ))}
    </div>
  );
}
