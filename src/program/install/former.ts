/**
 * What replaces the single unit of earlier versions: the settings of each new unit, and Caddy's data
 * where the agent will look for it.
 */
import { SETTINGS, type SettingName } from '../settings.ts';
import { FORMER, INSTALLED, PRIVATE_STATE, type Unit } from './layout.ts';
import { CannotInstall, type Step, type SystemState } from './steps.ts';
import { settingsText } from './unit.ts';

/** In the one-machine mode they mean something else, or what the other side has to know too. */
const BY_HAND: readonly SettingName[] = [
  'DATA_DIR',
  'AGENT_HOST',
  'AGENT_PORT',
  'AGENT_TOKEN',
  'AGENT_TLS_CERT',
  'AGENT_TLS_KEY',
  'PROXYFILE',
  'PROXY_ADMIN',
  'PROXY_MANAGED',
  'ACCESS_LOG',
];
/** What belongs to the agent in the state folder; the database stays. */
const MOVED = ['caddy', 'logs', 'Caddyfile', 'Caddyfile.signalbox'];

/**
 * Divides the operator's settings between the units.
 * @returns the text of a unit's settings file
 * @throws CannotInstall if only a person can decide
 */
export function formerSettings(system: SystemState): (unit: Unit) => string {
  const lines = (system.text(FORMER.settings) ?? '').split('\n').flatMap((line) => {
    const [, name] = /^\s*([A-Z_]+)=/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, line }];
  });
  const nameOf = (variable: string) => variable.replace(/_FILE$/, '');
  const known = (name: string): name is SettingName => name in SETTINGS;
  const isNew = Object.values(INSTALLED).some(({ settings }) => system.text(settings) === null);
  const byHand = lines.find(({ name }) =>
    BY_HAND.some((setting) => setting === name || setting === nameOf(name)),
  );
  if (isNew && byHand) {
    throw new CannotInstall(
      `${FORMER.settings} sets ${byHand.name}, which two services cannot share: write ${INSTALLED.hub.settings} and ${INSTALLED.agent.settings} first`,
    );
  }
  return (unit) => {
    const own = lines.filter(({ name }) => {
      const setting = known(name) ? name : nameOf(name);
      return !known(setting) || SETTINGS[setting].roles.includes(unit);
    });
    return `${settingsText(unit)}${own.map(({ line }) => `${line}\n`).join('')}`;
  };
}

/** Also what is left of a move that was interrupted. */
export function formerMoves(system: SystemState): Step[] {
  const folder = (unit: Unit) => `${PRIVATE_STATE}/${INSTALLED[unit].state}`;
  const token = `${folder('hub')}/agent-token`;
  return [
    ...MOVED.flatMap((name): Step[] => {
      const [from, to] = [`${folder('hub')}/${name}`, `${folder('agent')}/${name}`];
      const isThere = system.owner(from) !== null && system.owner(to) === null;
      return isThere ? [{ do: 'move', from, to }] : [];
    }),
    ...(system.owner(token) === null ? [] : [{ do: 'remove' as const, path: token }]),
  ];
}
