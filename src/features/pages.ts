/** The pages that features bring to the dashboard, by their addresses; `src/web/seldom-features.ts` has what they show. */
import type { Role } from '../shared/roles.ts';
import { pages as doors } from './doors/words.ts';

export type PageWords = Readonly<{
  /** Of the window, and of the tab. */
  title: string;
  /** A page of the core with a tab: that of this one comes after it. */
  follows: string;
  /** The least role that it is for; without, it is for everybody. */
  needs?: Role;
  /** Whether it is as narrow as a form. */
  isForm?: boolean;
}>;

export const FEATURE_PAGES = { ...doors } as const satisfies Record<string, PageWords>;
