/** What the units may not do (systemd.exec(5)); every line that is missing says why. */

/** What runs inside the unit besides the program itself. */
export type Company =
  /** Nothing: the hub. */
  | 'alone'
  /** Caddy runs in a unit of its own; here it only judges texts. */
  | 'beside'
  /** Caddy runs in here as well. */
  | 'managed';

/** Lines of a unit's [Service] section. */
export function hardening(company: Company): string[] {
  const managed = company === 'managed';
  const capability = managed ? 'CAP_NET_BIND_SERVICE' : '';
  return [
    ...(managed
      ? ['# Caddy takes ports 80 and 443; it is all that it may do beyond an ordinary user.']
      : []),
    `AmbientCapabilities=${capability}`,
    `CapabilityBoundingSet=${capability}`,
    'NoNewPrivileges=yes',
    'ProtectSystem=strict',
    ...(company === 'alone'
      ? ['ProtectHome=yes']
      : ['# Sites may be served, and certificates read, from there.', 'ProtectHome=read-only']),
    'PrivateTmp=yes',
    'PrivateDevices=yes',
    'PrivateMounts=yes',
    'DevicePolicy=closed',
    ...(company === 'alone' ? ['PrivateUsers=yes'] : []),
    'ProtectProc=invisible',
    ...(managed
      ? ['# Caddy reads the length of listen queues below /proc/sys.']
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
    ...(company === 'beside'
      ? ['# The Caddyfile stays readable to everyone, as it was.', 'UMask=0022']
      : ['UMask=0077']),
    'SystemCallArchitectures=native',
    'SystemCallFilter=@system-service',
    'SystemCallFilter=~@privileged @resources',
    'SystemCallErrorNumber=EPERM',
    '# No MemoryDenyWriteExecute=: the program compiles its code while it runs, and is many times',
    '# slower where it cannot.',
  ];
}
