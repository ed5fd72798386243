/** What a setting is, and what the program runs as. */

/** What the program runs as; `all`: the one-machine mode, with hub, agent and Caddy. */
export const ROLES = ['hub', 'agent', 'all'] as const;
export type Role = (typeof ROLES)[number];

export type Setting = Readonly<{
  /** What applies while it is not set, as it would be written in the environment. */
  default: string | null;
  /** The default of the one-machine mode if it differs; `DATA_DIR/` stands for the data folder. */
  onOneMachine?: string;
  /** For `--help`: half a line, in lower case. */
  meaning: string;
  /** Never printed. NAME_FILE, with the path of a file that contains it, works too. */
  secret?: true;
  /** Whether many people set it: `--help` names it. */
  isUsual?: true;
  /** A folder that no site may open, and from which no config may import. */
  isBarred?: true;
  roles: readonly Role[];
}>;
