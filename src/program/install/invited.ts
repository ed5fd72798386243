/**
 * How `install agent --invite` has the unit invite a hub: by a drop-in below /run, which is there for
 * one start alone. The unit itself starts an agent that is enrolled.
 */
import { INSTALLED, UNIT_FOLDER } from './layout.ts';
import { CannotInstall, type Step, type SystemState } from './steps.ts';

const { unit, words } = INSTALLED.agent;

/** Lost with the machine's next start in any case (systemd.unit(5)). */
const DROP_IN = `/run/systemd/system/${unit}.d/invite.conf`;

/** What the first line of an agent that listens begins with, and what of the next ones is for people. */
const BEGIN = 'agent listening on ';
const FOR_PEOPLE = ['Only a hub on this machine', 'invitation: '];

/** Whether the unit that is installed is of an agent without a token, which an upgrade must not get. */
export function isInvited(system: SystemState): boolean {
  const text = system.text(`${UNIT_FOLDER}/${unit}`);
  return text !== null && !text.includes('AGENT_TOKEN_FILE=');
}

/**
 * @param url where the hub is to reach the agent, in normal form; null: where it listens
 * @throws CannotInstall for another root folder
 */
export function inviteAtStart(program: string, url: string | null, { live }: SystemState): Step[] {
  if (!live) throw new CannotInstall('--invite starts the agent: not with --root');
  const command = [program, ...words, '--invite', ...(url === null ? [] : [url])].join(' ');
  const text = `[Service]\nExecStart=\nExecStart=${command}\n`;
  return [{ do: 'write', path: DROP_IN, mode: 0o644, text, before: null, secret: false }];
}

/** Once it runs: has later starts invite nobody, and shows the invitation. */
export function afterInvitation(): Step[] {
  const journal = ['journalctl', `--unit=${unit}`, '--output=cat', '--no-pager', '--lines=100'];
  return [
    { do: 'remove', path: DROP_IN },
    { do: 'run', command: ['systemctl', 'daemon-reload'] },
    { do: 'run', command: ['journalctl', '--sync'] },
    { do: 'run', command: journal, shows: { after: BEGIN, starts: FOR_PEOPLE } },
  ];
}
