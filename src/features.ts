/** All features, one line each. Nothing else outside of `features/` imports one, but for its words. */
import type { Feature } from './feature.ts';
import { apply } from './features/apply/feature.ts';
import { backups } from './features/backups/feature.ts';
import { certificates } from './features/certificates/feature.ts';
import { channels } from './features/channels/feature.ts';
import { containers } from './features/containers/feature.ts';
import { demo } from './features/demo/feature.ts';
import { docs } from './features/docs/feature.ts';
import { doors } from './features/doors/feature.ts';
import { explain } from './features/explain/feature.ts';
import { history } from './features/history/feature.ts';
import { icons } from './features/icons/feature.ts';
import { importCaddyfile } from './features/import/feature.ts';
import { importNpm } from './features/import-npm/feature.ts';
import { metrics } from './features/metrics/feature.ts';
import { openapi } from './features/openapi/feature.ts';
import { programs } from './features/programs/feature.ts';
import { replay } from './features/replay/feature.ts';
import { sameAddress } from './features/same-address/feature.ts';
import { ship } from './features/ship/feature.ts';
import { signIn } from './features/sign-in/feature.ts';
import { statistics } from './features/statistics/feature.ts';
import { uptime } from './features/uptime/feature.ts';

export const FEATURES: readonly Feature[] = [
  signIn,
  certificates,
  backups,
  ship,
  replay,
  programs,
  apply,
  history,
  doors,
  containers,
  channels,
  importCaddyfile,
  importNpm,
  openapi,
  docs,
  metrics,
  explain,
  uptime,
  icons,
  sameAddress,
  statistics,
  demo,
];
