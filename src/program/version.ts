/** What this is: the version, and in a binary the commit it was built from. */
import { version } from '../../package.json';

/** The build puts it in; there is none when the program runs from its source. */
declare const SIGNALBOX_COMMIT: string | null | undefined;

export const VERSION: string = version;

/** The first characters of its hash, `-dirty` behind where files differed; null from source. */
export const COMMIT: string | null = typeof SIGNALBOX_COMMIT === 'string' ? SIGNALBOX_COMMIT : null;
