/** The pages of `docs/` and what they load, as text in the program. Imports are literal, so that a binary has them. */

import accessLog from '../../../docs/access-log.md' with { type: 'text' };
import api from '../../../docs/api.md' with { type: 'text' };
import asCode from '../../../docs/as-code.md' with { type: 'text' };
import audit from '../../../docs/audit.md' with { type: 'text' };
import backup from '../../../docs/backup.md' with { type: 'text' };
import bans from '../../../docs/bans.md' with { type: 'text' };
import behindAProxy from '../../../docs/behind-a-proxy.md' with { type: 'text' };
import caddyProgram from '../../../docs/caddy-program.md' with { type: 'text' };
import certificates from '../../../docs/certificates.md' with { type: 'text' };
import compare from '../../../docs/compare.md' with { type: 'text' };
import containers from '../../../docs/containers.md' with { type: 'text' };
import deployment from '../../../docs/deployment.md' with { type: 'text' };
import doors from '../../../docs/doors.md' with { type: 'text' };
import downloads from '../../../docs/downloads.md' with { type: 'text' };
import figures from '../../../docs/figures.md' with { type: 'text' };
import history from '../../../docs/history.md' with { type: 'text' };
import homepage from '../../../docs/homepage.md' with { type: 'text' };
import https from '../../../docs/https.md' with { type: 'text' };
import layer4 from '../../../docs/layer4.md' with { type: 'text' };
import limits from '../../../docs/limits.md' with { type: 'text' };
import metrics from '../../../docs/metrics.md' with { type: 'text' };
import moving from '../../../docs/moving.md' with { type: 'text' };
import names from '../../../docs/names.md' with { type: 'text' };
import notifications from '../../../docs/notifications.md' with { type: 'text' };
import phoneCertificate from '../../../docs/phone-certificate.md' with { type: 'text' };
import policies from '../../../docs/policies.md' with { type: 'text' };
import promises from '../../../docs/promises.md' with { type: 'text' };
import proxyState from '../../../docs/proxy-state.md' with { type: 'text' };
import index from '../../../docs/README.md' with { type: 'text' };
import replay from '../../../docs/replay.md' with { type: 'text' };
import security from '../../../docs/security.md' with { type: 'text' };
import settings from '../../../docs/settings.md' with { type: 'text' };
import severalProxies from '../../../docs/several-proxies.md' with { type: 'text' };
import signIn from '../../../docs/sign-in.md' with { type: 'text' };
import troubleshooting from '../../../docs/troubleshooting.md' with { type: 'text' };
import tunnels from '../../../docs/tunnels.md' with { type: 'text' };
import style from './docs.css' with { type: 'text' };
import script from './search.txt' with { type: 'text' };

/** Groups of pages, with a line about each: `docs/README.md`. */
export const INDEX: string = index;

/** Markdown, by the name of the page. */
export const TEXTS: Readonly<Record<string, string>> = {
  'access-log': accessLog,
  api,
  'as-code': asCode,
  audit,
  backup,
  bans,
  'behind-a-proxy': behindAProxy,
  'caddy-program': caddyProgram,
  certificates,
  compare,
  containers,
  deployment,
  doors,
  downloads,
  figures,
  history,
  homepage,
  https,
  layer4,
  limits,
  metrics,
  moving,
  names,
  notifications,
  'phone-certificate': phoneCertificate,
  policies,
  promises,
  'proxy-state': proxyState,
  replay,
  security,
  settings,
  'several-proxies': severalProxies,
  'sign-in': signIn,
  troubleshooting,
  tunnels,
};

export { script as SCRIPT, style as STYLE };
