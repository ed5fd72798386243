/** Where an installation keeps its files. */
/** What has a unit of its own. `install` without a word makes both. */
export const UNITS = ['hub', 'agent'] as const;
export type Unit = (typeof UNITS)[number];

type Installed = {
  /** The unit's file name. */
  unit: string;
  /** The folder below /var/lib, as StateDirectory= names it. */
  state: string;
  /** The operator's settings file. */
  settings: string;
  /** The arguments that the unit starts the program with. */
  words: readonly string[];
};

/** For units that an administrator wrote (systemd.unit(5)). */
export const UNIT_FOLDER = '/etc/systemd/system';
export const SETTINGS_FOLDER = '/etc/signalbox';
/** Only root can read it; LoadCredential= passes it to the units. */
export const TOKEN_FILE = `${SETTINGS_FOLDER}/agent-token`;
/** The program is copied to it if anyone but root can change the one that runs. */
export const PROGRAM = '/usr/local/bin/signalbox';
export const CADDY_FOLDER = '/etc/caddy';
export const CADDY_FILE = `${CADDY_FOLDER}/Caddyfile`;

export const INSTALLED: Readonly<Record<Unit, Installed>> = {
  hub: {
    unit: 'signalbox-hub.service',
    state: 'signalbox',
    settings: `${SETTINGS_FOLDER}/hub.env`,
    words: ['hub'],
  },
  agent: {
    unit: 'signalbox-agent.service',
    state: 'signalbox-agent',
    settings: `${SETTINGS_FOLDER}/agent.env`,
    words: ['agent'],
  },
};

/** Where systemd keeps the state folders of dynamic users; it gives them to each new one. */
export const PRIVATE_STATE = '/var/lib/private';
