/** Which features start: all, but for tests of the core and of a program that lacks one. */
import type { Feature } from '../feature.ts';
import { FEATURES } from '../features.ts';
import { nearest } from '../shared/nearest.ts';
import type { Env } from './settings.ts';
import { SettingsError } from './settings-reader.ts';

/** No setting: an operator has no use for it. Empty: none; else their names, separated by commas. */
const VARIABLE = 'SIGNALBOX_FEATURES';

/** The named features and those that they need, in the order of the list. @throws SettingsError for another name */
export function enabledFeatures(env: Env, all: readonly Feature[] = FEATURES): readonly Feature[] {
  const given = env[VARIABLE];
  if (given === undefined) return all;
  const enabled = new Set<Feature>();
  const enable = (name: string) => {
    const feature = all.find((one) => one.name === name);
    if (!feature) throw new SettingsError(unknown(name, all));
    if (enabled.has(feature)) return;
    enabled.add(feature);
    feature.needs?.forEach(enable);
  };
  for (const name of given.split(/[\s,]+/).filter(Boolean)) enable(name);
  return all.filter((one) => enabled.has(one));
}

function unknown(name: string, all: readonly Feature[]): string {
  const names = all.map((one) => one.name);
  const guess = nearest(name, names);
  const hint = guess === undefined ? `there are ${names.join(', ')}` : `did you mean ${guess}?`;
  return `signalbox cannot start:\n  ${VARIABLE} names no feature: ${name}; ${hint}`;
}
