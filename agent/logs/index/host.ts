/** The host of a request, as it is shown and as it is compared. */
import { domainToASCII } from 'node:url';

/** The host of a request as shown: lower case, without port and trailing dot, IPv6 in brackets. */
export function shownHost(host: string): string {
  const lower = host.toLowerCase();
  if (isBareIpv6(lower)) return `[${lower}]`;
  return lower.replace(/:[0-9]*$/, '').replace(/\.$/, '');
}

/**
 * What hosts are compared by: the shown form in punycode, so that both spellings of an international
 * name are equal. ASCII is left unchanged; the URL rules would turn `127.1` into `127.0.0.1`.
 */
export function hostKey(host: string): string {
  const shown = shownHost(host);
  if (isAscii(shown)) return shown;
  return domainToASCII(shown).replace(/\.$/, '') || shown;
}

// Two colons and no bracket: a name with a port has only one colon.
function isBareIpv6(host: string): boolean {
  return !host.includes('[') && host.indexOf(':') !== host.lastIndexOf(':');
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}
