/** The failures of features, by their codes; none is declared twice. */
import { failures as certificates } from './certificates/words.ts';
import { failures as channels } from './channels/words.ts';
import { failures as history } from './history/words.ts';
import { failures as importCaddyfile } from './import/words.ts';
import { failures as signIn } from './sign-in/words.ts';

export const FEATURE_FAILURES = {
  ...signIn,
  ...importCaddyfile,
  ...channels,
  ...certificates,
  ...history,
} as const;
