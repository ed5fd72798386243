/** The pages that features bring to the dashboard, by their addresses; `src/web/seldom-features.ts` has what they show. */
import type { Role } from '../shared/roles.ts';

export type PageWords = Readonly<{
  /** Of the window, and of the entry in the menu. */
  title: string;
  /** The picture of that entry. */
  icon: string;
  /** The page whose entry in the menu is before it. */
  follows: string;
  /** The least role that it is for; without, it is for everybody. */
  needs?: Role;
}>;

export const FEATURE_PAGES = {} as const satisfies Record<string, PageWords>;
