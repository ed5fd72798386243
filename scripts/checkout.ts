/** What git knows of the checkout that something is built from. */

/** What a command of git prints; null if it fails, or if there is no git. */
function git(root: string, ...args: string[]): string | null {
  try {
    const { success, stdout } = Bun.spawnSync(['git', '-C', root, ...args], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return success ? stdout.toString().trim() : null;
  } catch {
    return null;
  }
}

/** Unpacked inside another repository, the project has none: that one's commit means nothing here. */
const isCheckout = (root: string) => git(root, 'rev-parse', '--show-prefix') === '';

/** The commit, with `-dirty` if files differ from it; null outside a checkout. */
export function readCommit(root: string): string | null {
  const hash = isCheckout(root) ? git(root, 'rev-parse', 'HEAD') : null;
  if (hash === null) return null;
  return hash.slice(0, 7) + (git(root, 'status', '--porcelain') === '' ? '' : '-dirty');
}

/**
 * The time that everything built bears, in seconds since 1970: that of the commit, or SOURCE_DATE_EPOCH
 * (reproducible-builds.org/specs/source-date-epoch).
 * @throws Error outside a checkout if the variable is missing
 */
export function sourceDate(
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): number {
  const given =
    env.SOURCE_DATE_EPOCH ?? (isCheckout(root) ? git(root, 'log', '-1', '--format=%ct') : '');
  if (!given || !/^\d+$/.test(given)) {
    throw new Error('outside a git checkout, set SOURCE_DATE_EPOCH to the seconds since 1970');
  }
  return Number(given);
}
