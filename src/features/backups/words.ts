/** The settings of this feature, and what it may find wrong. */

export const settings = {
  BACKUP_DIR: {
    default: null,
    meaning: 'folder for a backup a day and one before each upgrade; none: no such backups',
    roles: ['hub', 'agent', 'all'],
    isBarred: true,
    isUsual: true,
  },
  BACKUP_KEEP: {
    default: '14',
    meaning: 'how many of these backups to keep',
    roles: ['hub', 'all'],
  },
  BACKUP_PASSPHRASE: {
    default: null,
    meaning: 'passphrase that seals the key in backups; none: it is in clear',
    roles: ['hub', 'all'],
    secret: true,
  },
} as const;

export const problems = {
  BACKUP_FAILED: {
    of: 'others',
    follows: 'DRIFT',
    event: 'backup.failed',
    title: () => 'No backup is made',
    page: { to: '/import', label: 'Backups' },
  },
} as const;
