/** The settings of this feature, and what it may find wrong. */

export const settings = {
  DOCKER_SOCKET: {
    default: null,
    meaning: 'socket of Docker or Podman: a path, or http://host:port of a proxy of it',
    roles: ['agent', 'all'],
    isUsual: true,
  },
  DOCKER_LABELS: {
    default: 'safe',
    meaning: 'what labels of containers may set: safe, or all (Caddyfile text)',
    roles: ['agent', 'all'],
  },
  DOCKER_DOMAINS: {
    default: null,
    meaning: 'hosts that labels may name, separated by commas: *.home.example; none: any',
    roles: ['agent', 'all'],
  },
} as const;

export const problems = {
  LABELS_REFUSED: {
    of: 'sites',
    event: 'vhost.broken',
    title: (site: string) => `The labels of the container of ${site} are at fault`,
  },
} as const;
