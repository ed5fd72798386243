/** Parts of the dashboard whose code is loaded when they are first shown. */
import type { ComponentType, FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Notice } from './notice.tsx';
import { SkeletonRows } from './skeleton-rows.tsx';

/** A component in place of the one that `load` imports. */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
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
    return Known ? <Known {...props} /> : <SkeletonRows rows={6} label="Loading" />;
  };
}
