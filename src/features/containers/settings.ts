/** Reads the settings of the agent that are about containers. */
import { isAbsolute, resolve } from 'node:path';
import type { ContainerSettings } from '../../../agent/features/containers/containers.ts';
import type { EngineAddress } from '../../../agent/features/containers/engine.ts';
import type { ReadAgentHalf } from '../../feature.ts';
import type { SettingsReader } from '../../program/settings-reader.ts';

/** Nobody is asked: an engine that is down must not keep the agent from starting. */
export const readAgentHalf: ReadAgentHalf = (read) => {
  const settings = readContainers(read);
  const { engine } = settings;
  return {
    ownPaths: engine !== null && 'unix' in engine ? [engine.unix] : [],
    async load() {
      const { agent } = await import('../../../agent/features/containers/agent.ts');
      return (core) => agent(core, settings);
    },
  };
};

/** As in a certificate, with a wildcard for one label. */
const DOMAIN = /^(\*\.)?([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/;
const LONGEST_DOMAIN = 253;

export function readContainers(read: SettingsReader): ContainerSettings {
  if (!read.has('DOCKER_SOCKET')) {
    for (const name of ['DOCKER_LABELS', 'DOCKER_DOMAINS'] as const) {
      if (read.has(name)) read.fault(name, 'requires DOCKER_SOCKET');
    }
  }
  const domains = read
    .text('DOCKER_DOMAINS')
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  if (domains.some((name) => name.length > LONGEST_DOMAIN || !DOMAIN.test(name))) {
    read.fault('DOCKER_DOMAINS', 'must be hosts such as app.example or *.home.example');
  }
  return {
    engine: read.has('DOCKER_SOCKET') ? readEngine(read) : null,
    labels: read.oneOf('DOCKER_LABELS', ['safe', 'all']),
    domains,
  };
}

/** A path, or an address as Docker writes it in `DOCKER_HOST`. */
function readEngine(read: SettingsReader): EngineAddress | null {
  const given = read.text('DOCKER_SOCKET');
  const path = given.replace(/^unix:\/\//, '');
  if (isAbsolute(path)) return { unix: resolve(path) };
  const url = URL.parse(given.replace(/^tcp:/, 'http:'));
  const isPlain =
    url?.pathname === '/' && !(url.username || url.password || url.search || url.hash);
  if (url?.protocol === 'http:' && isPlain) return { url: url.origin };
  read.fault('DOCKER_SOCKET', 'must be an absolute path, or http://host:port of a socket proxy');
  return null;
}
