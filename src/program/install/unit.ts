/** The text of a systemd unit: settings in, text out. */
import { type Company, hardening } from './hardening.ts';
import { CADDY_FOLDER, INSTALLED, type Part, TOKEN_FILE } from './parts.ts';

export type UnitChoices = {
  part: Part;
  /** Absolute path of the program, without spaces or signs that systemd reads as its own. */
  program: string;
  /** Agent only: it runs a Caddy of its own, instead of one in a unit called caddy.service. */
  managed: boolean;
};

const TITLES: Readonly<Record<Part, string>> = {
  hub: 'signalbox hub',
  agent: 'signalbox agent',
  all: 'signalbox, with hub, agent and Caddy',
};

/** A unit of systemd 250 or newer: older ones know no %d. */
export function unitText({ part, program, managed }: UnitChoices): string {
  const { words, state, settings } = INSTALLED[part];
  const company: Company =
    part === 'hub' ? 'alone' : part === 'all' || managed ? 'managed' : 'beside';
  const after = ['network-online.target', ...(company === 'beside' ? ['caddy.service'] : [])];
  const lines = [
    '# Written by `signalbox install`, which writes it anew: what you change belongs into a drop-in',
    `# (systemctl edit ${INSTALLED[part].unit}), settings into ${settings}.`,
    '[Unit]',
    `Description=${TITLES[part]}`,
    'Wants=network-online.target',
    `After=${after.join(' ')}`,
    '# It is started again and again, however often it ends: it may be the way to your services.',
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    '# Ready once it listens and holds its lock; the agent and its Caddy as well, where they are here.',
    'Type=notify',
    `ExecStart=${[program, ...words].join(' ')}`,
    ...userOf(company),
    `StateDirectory=${state}`,
    'StateDirectoryMode=0700',
    `WorkingDirectory=%S/${state}`,
    `Environment=DATA_DIR=%S/${state}`,
    ...(part === 'agent' && managed
      ? [
          'Environment=PROXY_MANAGED=true',
          `Environment=PROXYFILE=%S/${state}/Caddyfile`,
          `Environment=ACCESS_LOG=%S/${state}/logs/access.log`,
        ]
      : []),
    // The one-machine mode makes its own, in its state folder.
    ...(part === 'all'
      ? []
      : [
          `LoadCredential=agent-token:${TOKEN_FILE}`,
          'Environment=AGENT_TOKEN_FILE=%d/agent-token',
        ]),
    `EnvironmentFile=-${settings}`,
    'Restart=always',
    'RestartSec=2',
    '# It answers for itself, from the loop that answers requests. What Caddy does is not counted.',
    'WatchdogSec=60',
    '# The program alone is asked to stop: it lets a change under way complete, then stops Caddy.',
    'KillMode=mixed',
    'TimeoutStopSec=100',
    ...(company === 'managed' ? ['LimitNOFILE=1048576'] : []),
    '',
    ...hardening(company),
    '',
    '[Install]',
    'WantedBy=multi-user.target',
  ];
  return `${lines.join('\n')}\n`;
}

function userOf(company: Company): string[] {
  if (company !== 'beside') return ['DynamicUser=yes'];
  return [
    '# As Caddy itself: another user could not read the logs it keeps to itself, nor replace the file.',
    'User=caddy',
    'Group=caddy',
    `ReadWritePaths=${CADDY_FOLDER} -/var/log/caddy`,
  ];
}

/** The first text of an operator's settings; it is never written over. */
export function settingsText(part: Part): string {
  const { unit } = INSTALLED[part];
  const examples = [
    ...(part === 'agent' ? [] : ['#HUB_HOST=0.0.0.0', '#HUB_ORIGINS=https://box.example']),
    ...(part === 'hub' ? ['#AGENT_URL=http://127.0.0.1:3002'] : []),
    ...(part === 'agent' ? ['#AGENT_HOST=0.0.0.0'] : []),
    ...(part === 'all' ? ['#PROXY_HTTP_PORT=80', '#PROXY_HTTPS_PORT=443'] : []),
  ];
  return `# NAME=value lines; \`signalbox --help\` tells what there is. Then: systemctl restart ${unit}
${examples.join('\n')}
`;
}
