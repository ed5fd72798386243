/** Security advisories for Caddy, and which of them a version is open to. Pure. */

type Advisory = {
  /** The CVE, or the GitHub advisory if it has none. */
  id: string;
  /** What an attacker can do, and in which setup. */
  summary: string;
  /** The first release without the fault. */
  fixedIn: string;
};

/** The date of the table below, a selection from github.com/caddyserver/caddy/security/advisories. */
export const ADVISORIES_AS_OF = '2026-11-22';

/** After so many days, newer advisories are likely to be missing. */
export const FRESH_DAYS = 60;

const DAY_MS = 86_400_000;

/** When the table becomes too old to count on. */
export const advisoriesOldAt = (): Date =>
  new Date(Date.parse(ADVISORIES_AS_OF) + (FRESH_DAYS + 1) * DAY_MS);

/** Newest fix first. Without `introducedIn`, every release before the fix is affected. */
const ADVISORIES: readonly (Advisory & { introducedIn?: string })[] = [
  {
    id: 'GHSA-6365-7ppr-5r92',
    summary:
      'With forward_auth and reverse_proxy, simultaneous requests can reach the wrong upstream: the sign-in service instead of the site, or the site instead of the sign-in service.',
    fixedIn: '2.11.6',
  },
  {
    id: 'GHSA-49wc-4hcv-v58q',
    summary:
      'A client can forge identity headers by writing . for - in their names, such as Remote.User, if the upstream takes both for the same.',
    fixedIn: '2.11.6',
  },
  {
    id: 'CVE-2026-52845',
    summary:
      'With forward_auth and php_fastcgi, a client can forge identity headers by writing _ for - in their names.',
    fixedIn: '2.11.4',
  },
  {
    id: 'GHSA-7r4p-vjf4-gxv4',
    summary:
      'With forward_auth and copy_headers, a client can forge identity headers that the authentication service does not send.',
    introducedIn: '2.9.0',
    fixedIn: '2.11.2',
  },
  {
    id: 'CVE-2026-27586',
    summary:
      'If the CA file for client certificates is missing or malformed, certificates of any CA that the system trusts are accepted.',
    fixedIn: '2.11.1',
  },
  {
    id: 'CVE-2026-27587',
    summary:
      'A path matcher with % in its pattern is case-sensitive, so that other spellings of a path get around its routes and access rules.',
    fixedIn: '2.11.1',
  },
  {
    id: 'CVE-2026-27588',
    summary:
      'A host matcher with more than 100 names is case-sensitive, so that other spellings of a host get around its routes and access rules.',
    fixedIn: '2.11.1',
  },
  {
    id: 'CVE-2026-27589',
    summary:
      'Unless the admin endpoint enforces origins, a web page opened on the same machine can replace the configuration.',
    fixedIn: '2.11.1',
  },
  {
    id: 'CVE-2026-27590',
    summary:
      'With php_fastcgi, certain Unicode characters in a path can make PHP execute a file that is not a script.',
    fixedIn: '2.11.1',
  },
];

/** A release that no advisory of the table affects; 2.11.7 repairs what broke in 2.11.6. */
export const SAFE_VERSION = '2.11.7';

/**
 * The advisories that affect a version of Caddy.
 * @param version as Caddy prints it, such as `2.6.2` or `v2.10.0-beta.1 h1:…`
 * @returns null if the version is unknown, as is that of a build from source (`(devel)`)
 */
export function advisoriesFor(version: string | null): Advisory[] | null {
  const running = parse(version);
  if (running === null) return null;
  return ADVISORIES.filter(({ introducedIn = '0.0.0', fixedIn }) => {
    // Pre-releases may already have the fault, but not yet the fix.
    return compare(running, introducedIn) >= 0 && isBefore(running, fixedIn);
  }).map(({ id, summary, fixedIn }) => ({ id, summary, fixedIn }));
}

type Version = { numbers: readonly number[]; isPreRelease: boolean };

function parse(version: string | null): Version | null {
  const found = /^v?(\d+)\.(\d+)\.(\d+)(-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?(?:\s|$)/.exec(
    version ?? '',
  );
  if (!found) return null;
  return { numbers: found.slice(1, 4).map(Number), isPreRelease: found[4] !== undefined };
}

/** Compares the numbers alone; negative if `version` is the older one. */
function compare({ numbers }: Version, release: string): number {
  const others = release.split('.').map(Number);
  const at = numbers.findIndex((number, index) => number !== others[index]);
  return at === -1 ? 0 : (numbers[at] ?? 0) - (others[at] ?? 0);
}

function isBefore(version: Version, release: string): boolean {
  const difference = compare(version, release);
  return difference < 0 || (difference === 0 && version.isPreRelease);
}
