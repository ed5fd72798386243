/** The state of a machine that a plan is made from, and the steps it is made of. */ import type { PortState } from '../../shared/wire/proxy.ts';

export type Owner = { uid: number; gid: number; mode: number };

/** The state of the machine. Paths are as that machine sees them, wherever its root folder is. */
export type SystemState = {
  /** A file's text, `''` if it cannot be read, null if there is no file. */
  text: (path: string) => string | null;
  owner: (path: string) => Owner | null;
  caddy: {
    /** The ID of the group `caddy`. */
    gid: number | null;
    /** Whether there is a caddy.service, and whether it is running. */
    unit: boolean;
    runs: boolean;
    /** Whether the program is installed; true for another root folder, where that is unknown. */
    program: boolean;
  };
  /** Ports 80 and 443; empty for another root folder. */
  ports: readonly PortState[];
  /** Whether this is the running system, not another root folder. */
  live: boolean;
  /** The running binary, and whether only root can change it; null when run from source. */
  program: { path: string; safe: boolean } | null;
};

export type Step =
  | {
      do: 'write';
      path: string;
      mode: number;
      text: string;
      before: string | null;
      secret: boolean;
    }
  | { do: 'copy'; from: string; to: string }
  | { do: 'own'; path: string; from: Owner; to: Owner }
  | { do: 'remove'; path: string }
  | { do: 'run'; command: readonly string[]; shows?: Shown };

/** Which lines of a command's output are for people: those with such a start, after the last `after`. */
export type Shown = { after: string; starts: readonly string[] };

/** The message says in a sentence what is in the way. */
export class CannotInstall extends Error {}
