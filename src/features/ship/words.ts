/** The settings of this feature. */

export const settings = {
  LOG_SHIP_URL: {
    default: null,
    meaning: 'where to send the access log: Loki’s push API, or NDJSON',
    roles: ['agent', 'all'],
  },
  LOG_SHIP_FORMAT: {
    default: null,
    meaning: 'loki or ndjson; loki if LOG_SHIP_URL ends in /loki/api/v1/push',
    roles: ['agent', 'all'],
  },
  LOG_SHIP_HEADERS_FILE: {
    default: null,
    meaning: 'file of Name: value lines, headers for the log engine',
    roles: ['agent', 'all'],
  },
} as const;
