/** The icon of the tab: green with the arm of the signal raised, red with the arm level while there is a problem. */
import { useEffect } from 'preact/hooks';

const BAD = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#a8201a"/>
<path d="M9 5h3v22H9zM11 8.5h15v6H11z" fill="#fff"/><path d="M20.5 8.5h2v6h-2z" fill="#a8201a"/></svg>`;

const RED = `data:image/svg+xml,${encodeURIComponent(BAD)}`;
const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
const green = link?.href ?? '';

export function useFavicon(isBad: boolean): void {
  useEffect(() => {
    if (link) link.href = isBad ? RED : green;
  }, [isBad]);
}
