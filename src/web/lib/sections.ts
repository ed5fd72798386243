/** The entries of the menu and their tabs, as the user’s role may see them. */
import { pageOf, SECTIONS } from '../../shared/pages.ts';
import { useUser } from './hub.ts';
import { isAllowed } from './roles.ts';

type Section = (typeof SECTIONS)[number];
type Tab = { to: string; title: string; isCurrent: boolean };

const isIn = (path: string, entry: string) =>
  path === entry || (entry !== '/' && path.startsWith(`${entry}/`));

/** The section of the page at that address; undefined if there is none. */
export const sectionOf = (path: string): Section | undefined =>
  SECTIONS.find(({ paths }) => paths.some((entry) => isIn(path, entry)));

/** @returns what has the tabs of a section, of which that of the page at `path` is current; none if the user may see none */
export function useTabs(path: string): (section: Section) => Tab[] {
  const user = useUser();
  return ({ paths }) =>
    paths.flatMap((to) => {
      const { title = '', tab = title, needs = 'viewer' } = pageOf(to) ?? {};
      if (!user || !isAllowed(user.role, needs)) return [];
      return [{ to, title: tab, isCurrent: isIn(path, to) }];
    });
}
