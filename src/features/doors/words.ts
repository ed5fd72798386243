/** The page "What is open", and what it says of each site. Pure and without imports. */

export const pages = {
  '/doors': { title: 'What is open', follows: '/policies', needs: 'editor' },
} as const;

type Opens = 'anyone' | 'unsure' | 'sign-in' | 'password' | 'certificate' | 'networks' | 'nobody';

/** To whom a site opens, with the shape of its mark. */
export const OPENS_WORDS: Readonly<Record<Opens, { words: string; level: 'warning' | 'plain' }>> = {
  anyone: { words: 'Anyone', level: 'warning' },
  unsure: { words: 'Maybe anyone', level: 'warning' },
  'sign-in': { words: 'Who signs in', level: 'plain' },
  password: { words: 'Who has the password', level: 'plain' },
  certificate: { words: 'Devices with a certificate', level: 'plain' },
  networks: { words: 'Some networks', level: 'plain' },
  nobody: { words: 'Nobody', level: 'plain' },
};

const visitors = (count: number): string => `${count} visitor${count === 1 ? '' : 's'}`;

/** `4 visitors from home, 1 from outside, 2 refused` */
export function cameWords(came: { home: number; outside: number; refused: number }): string {
  const { home, outside, refused } = came;
  if (home + outside + refused === 0) return 'no visitors';
  const parts = [
    ...(home > 0 ? [`${visitors(home)} from home`] : []),
    outside > 0 ? `${visitors(outside)} from outside` : 'nobody from outside',
    ...(refused > 0 ? [`${refused} refused`] : []),
  ];
  return parts.join(', ');
}
