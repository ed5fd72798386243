/** The text of the systemd units and of the first settings files. */
import { CADDY_FOLDER, INSTALLED, TOKEN_FILE, type Unit } from './layout.ts';

type UnitChoices = {
  role: Unit;
  /** The program's absolute path, without spaces or characters that systemd treats specially. */
  program: string;
  /** Agent only: it runs Caddy itself, instead of caddy.service. */
  managed: boolean;
  /** Agent only: it is enrolled, and so has no token. */
  invited?: boolean;
  /** It is part of a Debian package. */
  packaged?: boolean;
};

const TITLES: Readonly<Record<Unit, string>> = {
  hub: 'signalbox hub',
  agent: 'signalbox agent',
};

/** A unit for systemd 250 or newer: older versions do not know %d. */
export function unitText({ role, program, managed, invited, packaged }: UnitChoices): string {
  const { unit, words, state, settings } = INSTALLED[role];
  const caddy: CaddyPlace = role === 'hub' ? 'none' : managed ? 'managed' : 'beside';
  const after = ['network-online.target', ...(caddy === 'beside' ? ['caddy.service'] : [])];
  const lines = [
    packaged
      ? '# Part of the package, which overwrites it: put changes into a drop-in'
      : '# Written by `signalbox install`, which overwrites it: put changes into a drop-in',
    `# (systemctl edit ${unit}) and settings into ${settings}.`,
    '[Unit]',
    `Description=${TITLES[role]}`,
    'Wants=network-online.target',
    `After=${after.join(' ')}`,
    '# No limit on restarts: your services may depend on it.',
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    '# Ready once it listens and holds its lock; with an agent, once Caddy runs as well.',
    'Type=notify',
    `ExecStart=${[program, ...words].join(' ')}`,
    '# Reads the settings again; Caddy, if it is part of the unit, goes on serving.',
    `ExecReload=${program} restart`,
    ...userOf(caddy),
    `StateDirectory=${state}`,
    'StateDirectoryMode=0700',
    '# Not the state folder: nobody but root may put a .env there.',
    'WorkingDirectory=/',
    `Environment=DATA_DIR=%S/${state}`,
    ...(role === 'agent' && managed
      ? [
          'Environment=PROXY_MANAGED=true',
          `Environment=PROXYFILE=%S/${state}/Caddyfile`,
          `Environment=ACCESS_LOG=%S/${state}/logs/access.log`,
        ]
      : []),
    ...(invited
      ? []
      : [
          `LoadCredential=agent-token:${TOKEN_FILE}`,
          'Environment=AGENT_TOKEN_FILE=%d/agent-token',
        ]),
    `EnvironmentFile=-${settings}`,
    'Restart=always',
    'RestartSec=2',
    '# The keep-alives come from the event loop that answers requests. Caddy has no part in them.',
    'WatchdogSec=60',
    '# Only the program gets SIGTERM: it completes a change in progress, then stops Caddy.',
    'KillMode=mixed',
    'TimeoutStopSec=100',
    ...(caddy === 'managed' ? ['LimitNOFILE=1048576'] : []),
    '',
    ...hardening(caddy),
    '',
    '[Install]',
    'WantedBy=multi-user.target',
  ];
  return `${lines.join('\n')}\n`;
}

function userOf(caddy: CaddyPlace): string[] {
  if (caddy !== 'beside') return ['DynamicUser=yes'];
  return [
    '# The user of Caddy: no other can read its logs and replace the Caddyfile.',
    'User=caddy',
    'Group=caddy',
    `ReadWritePaths=${CADDY_FOLDER} -/var/log/caddy`,
  ];
}

/**
 * The operator's settings file as it is first written; it is never overwritten.
 * @param listen where the hub, or the agent, listens; null: only on this machine
 */
export function settingsText(role: Unit, listen: string | null = null): string {
  const { unit } = INSTALLED[role];
  const examples = [
    ...(role === 'hub'
      ? [
          listen === null ? '#HUB_HOST=0.0.0.0' : `HUB_HOST=${listen}`,
          '#HUB_ORIGINS=https://box.example',
          '#AGENT_URL=http://127.0.0.1:3002',
        ]
      : [listen === null ? '#AGENT_HOST=0.0.0.0' : `AGENT_HOST=${listen}`]),
  ];
  return `# NAME=value lines; \`signalbox --help\` lists them. To apply: systemctl reload ${unit}
${examples.join('\n')}
`;
}

/** Where Caddy runs, seen from the unit. */
type CaddyPlace =
  /** Nowhere near: the unit is the hub alone. */
  | 'none'
  /** In caddy.service; this unit only runs it to validate. */
  | 'beside'
  /** In the same unit, the agent's. */
  | 'managed';

/** What a unit is not allowed to do (systemd.exec(5)), with a comment for each line left out. */
function hardening(caddy: CaddyPlace): string[] {
  const managed = caddy === 'managed';
  const capability = managed ? 'CAP_NET_BIND_SERVICE' : '';
  return [
    ...(managed ? ['# For Caddy, to listen on ports 80 and 443: its only privilege.'] : []),
    `AmbientCapabilities=${capability}`,
    `CapabilityBoundingSet=${capability}`,
    'NoNewPrivileges=yes',
    'ProtectSystem=strict',
    ...(caddy === 'none'
      ? ['ProtectHome=yes']
      : [
          '# Sites may serve files, and Caddy may read certificates, from there.',
          'ProtectHome=read-only',
        ]),
    'PrivateTmp=yes',
    'PrivateDevices=yes',
    'PrivateMounts=yes',
    'DevicePolicy=closed',
    ...(caddy === 'none' ? ['PrivateUsers=yes'] : []),
    'ProtectProc=invisible',
    ...(managed
      ? ['# Caddy reads the length of listen queues from /proc/sys.']
      : ['ProcSubset=pid']),
    'ProtectClock=yes',
    'ProtectControlGroups=yes',
    'ProtectHostname=yes',
    'ProtectKernelLogs=yes',
    'ProtectKernelModules=yes',
    'ProtectKernelTunables=yes',
    'LockPersonality=yes',
    'RestrictNamespaces=yes',
    'RestrictRealtime=yes',
    'RestrictSUIDSGID=yes',
    'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6',
    'RemoveIPC=yes',
    'KeyringMode=private',
    ...(caddy === 'beside'
      ? ['# Keeps the Caddyfile readable for everyone.', 'UMask=0022']
      : ['UMask=0077']),
    'SystemCallArchitectures=native',
    'SystemCallFilter=@system-service',
    'SystemCallFilter=~@privileged @resources',
    'SystemCallErrorNumber=EPERM',
    '# No MemoryDenyWriteExecute=: the program compiles code at run time, and is many times slower',
    '# if it cannot.',
  ];
}
