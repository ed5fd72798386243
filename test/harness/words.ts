/** Long lists of words, in rows instead of one word a line. */

/** The words of a text: what stands between white space. There is always one. */
export const words = (text: string) => text.trim().split(/\s+/) as [string, ...string[]];
