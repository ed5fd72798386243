/** The settings that features bring, in the order of `--help`. */
import type { Setting } from '../shared/setting.ts';
import { settings as containers } from './containers/words.ts';
import { settings as ship } from './ship/words.ts';

const settings = { ...ship, ...containers } as const;

export type FeatureSetting = keyof typeof settings;

export const FEATURE_SETTINGS: Readonly<Record<FeatureSetting, Setting>> = settings;
