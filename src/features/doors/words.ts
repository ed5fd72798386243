/** The page "What is open", what it says of each site, and what this feature may find wrong. Pure and without imports. */

export const pages = {
  '/doors': { title: 'What is open', follows: '/policies', needs: 'editor' },
} as const;

export const problems = {
  SHUT_OUT: {
    of: 'others',
    event: 'visitor.refused',
    title: (site: string) => `${site} refuses somebody who used it before`,
  },
} as const;

type Opens = 'anyone' | 'unsure' | 'sign-in' | 'password' | 'certificate' | 'networks' | 'nobody';

/** `shape`: open, half open or closed; `isOpen`: whether strangers may get in. */
type Words = Readonly<{ words: string; shape: '○' | '◐' | '●'; isOpen?: true }>;

/** To whom a site opens. */
export const OPENS_WORDS: Readonly<Record<Opens, Words>> = {
  anyone: { words: 'Anyone', shape: '○', isOpen: true },
  unsure: { words: 'Maybe anyone', shape: '◐', isOpen: true },
  'sign-in': { words: 'Who signs in', shape: '●' },
  password: { words: 'Who has the password', shape: '●' },
  certificate: { words: 'Devices with a certificate', shape: '●' },
  networks: { words: 'Some networks', shape: '●' },
  nobody: { words: 'Nobody', shape: '●' },
};

/** Recipes that are no matter of who gets in. */
const NO_GUARDS: readonly string[] = ['headers', 'robots'];

/** Whether a policy of this recipe decides who gets in. */
export const isGuard = (recipe: string): boolean => !NO_GUARDS.includes(recipe);

const visitors = (count: number): string => `${count} visitor${count === 1 ? '' : 's'}`;

type Came = { home: number; outside: number; refused: number; incomplete?: true };

const UNREAD = 'not all of the log could be read';

/** `4 visitors from home, 1 from outside, 2 refused` */
export function cameWords({ home, outside, refused, incomplete }: Came): string {
  const none = incomplete ? `visitors unknown: ${UNREAD}` : 'no visitors';
  if (home + outside + refused === 0) return none;
  const parts = [
    ...(home > 0 ? [`${visitors(home)} from home`] : []),
    outside > 0 ? `${visitors(outside)} from outside` : 'nobody from outside',
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(incomplete ? [`but ${UNREAD}`] : []),
  ];
  return parts.join(', ');
}
