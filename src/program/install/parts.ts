/** What can be installed, and where each keeps its things. */

export const PARTS = ['hub', 'agent', 'all'] as const;
export type Part = (typeof PARTS)[number];

export type Installed = {
  part: Part;
  /** The unit's file name. */
  unit: string;
  /** Below /var/lib, as StateDirectory= names it. */
  state: string;
  /** Settings of the operator's. */
  settings: string;
  /** What it runs behind the program's path. */
  words: readonly string[];
};

/** For units that an administrator wrote (systemd.unit(5)). */
export const UNIT_FOLDER = '/etc/systemd/system';
export const SETTINGS_FOLDER = '/etc/signalbox';
/** Handed to the units by LoadCredential=: only root can read it. */
export const TOKEN_FILE = `${SETTINGS_FOLDER}/agent-token`;
/** Where a program is put that lies where others than root can change it. */
export const PROGRAM = '/usr/local/bin/signalbox';
export const CADDY_FOLDER = '/etc/caddy';
export const CADDY_FILE = `${CADDY_FOLDER}/Caddyfile`;

export const INSTALLED: Readonly<Record<Part, Installed>> = {
  hub: {
    part: 'hub',
    unit: 'signalbox-hub.service',
    state: 'signalbox',
    settings: `${SETTINGS_FOLDER}/hub.env`,
    words: ['hub'],
  },
  agent: {
    part: 'agent',
    unit: 'signalbox-agent.service',
    state: 'signalbox-agent',
    settings: `${SETTINGS_FOLDER}/agent.env`,
    words: ['agent'],
  },
  all: {
    part: 'all',
    unit: 'signalbox.service',
    state: 'signalbox',
    settings: `${SETTINGS_FOLDER}/signalbox.env`,
    words: [],
  },
};
