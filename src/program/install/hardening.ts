/** What the units are not allowed to do (systemd.exec(5)), with a comment for each line left out. */

/** Where Caddy runs, seen from the unit. */
export type CaddyPlace =
  /** Nowhere near: the unit is the hub alone. */
  | 'none'
  /** In caddy.service; this unit only runs it to validate. */
  | 'beside'
  /** In the same unit, the agent's. */
  | 'managed';

/** Lines of a unit's [Service] section. */
export function hardening(caddy: CaddyPlace): string[] {
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
