/** Recognises what Caddy says of a damaged storage. Pure. */

/**
 * `loading pki app module: provision pki: provisioning CA 'local': …` (2.11 leaves out the middle),
 * `managing certificates for [a.test]: automate: manage [a.test]: a.test: caching certificate: …`
 */
const FAULT = /\bprovisioning CA |\bcaching certificate: /;

/** Whether Caddy refused because of what is in its storage. @param sentence Caddy's words */
export const isStoredFilesFault = (sentence: string): boolean => FAULT.test(sentence);
