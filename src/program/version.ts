/** Which signalbox this is: its version and, in a binary, the commit it was built from. */
import { version } from '../../package.json';

/** Set by the build; undefined when the program runs from its source. */
declare const SIGNALBOX_COMMIT: string | null | undefined;

export const VERSION: string = version;

/** The commit's short hash, with `-dirty` if files differed from it; null when run from source. */
export const COMMIT: string | null = typeof SIGNALBOX_COMMIT === 'string' ? SIGNALBOX_COMMIT : null;
