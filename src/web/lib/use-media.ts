/** Whether a media query matches, also after it changes. */
import { useEffect, useState } from 'preact/hooks';

/** Of the style sheets: there is room for the filters and for a fine plot. */
export const WIDE = '(min-width: 801px)';

export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const update = () => setMatches(list.matches);
    list.addEventListener('change', update);
    return () => list.removeEventListener('change', update);
  }, [query]);
  return matches;
}
