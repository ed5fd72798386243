/** The settings that features bring, by the setting of the core that they stand behind in `--help`. */
import type { Setting } from '../shared/setting.ts';
import { settings as backups } from './backups/words.ts';
import { settings as certificates } from './certificates/words.ts';
import { settings as containers } from './containers/words.ts';
import { settings as ship } from './ship/words.ts';
import { settings as signIn } from './sign-in/words.ts';

const settings = {
  HUB_ORIGINS: signIn,
  PROXY_HTTPS_PORT: { ...backups, ...certificates },
  ACCESS_LOG_KEEP_MB: ship,
  UPSTREAM_PROBE: containers,
} as const;

type NamesIn<Each> = Each extends unknown ? keyof Each : never;
export type FeatureSetting = NamesIn<(typeof settings)[keyof typeof settings]>;

export const FEATURE_SETTINGS: Readonly<Record<string, Readonly<Record<string, Setting>>>> =
  settings;
