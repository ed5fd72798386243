/** Parts of the dashboard whose code is loaded when they are first shown. */
import type { ComponentType, FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { sentenceOf } from '../lib/api.ts';
import { Notice } from './notice.tsx';
import { SkeletonRows } from './skeleton-rows.tsx';

/** A component in place of the one that `load` imports. */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): FunctionComponent<Props> {
  let Known: ComponentType<Props> | null = null;
  return function Lazy(props: Props) {
    const [error, setError] = useState<string | null>(null);
    const [, setLoaded] = useState(Known !== null);
    useEffect(() => {
      if (Known) return;
      load().then(
        (loaded) => {
          Known = loaded;
          setLoaded(true);
        },
        (reason: unknown) => setError(`It could not be loaded. ${sentenceOf(reason)}`),
      );
    }, []);
    if (error !== null) return <Notice kind="error">{error}</Notice>;
    return Known ? <Known {...props} /> : <SkeletonRows rows={6} label="Loading" />;
  };
}
