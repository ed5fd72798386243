/** The setup code in the link that the hub prints when it starts. */

/**
 * The code in `#setup=…`, which never reaches the hub or a proxy's log; '' without one. Removes it
 * from the address bar and so from the history.
 */
export function takeSetupCode(): string {
  const code = new URLSearchParams(location.hash.slice(1)).get('setup');
  if (code === null) return '';
  history.replaceState(history.state, '', location.pathname + location.search);
  return code;
}
