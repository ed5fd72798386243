/** Reads the settings of the hub that are about certificates by DNS. */
import type { ReadHubHalf } from '../../feature.ts';
import { listenBriefly } from '../../program/listen.ts';
import type { SettingsReader } from '../../program/settings-reader.ts';
import { isLoopbackHost } from '../../shared/loopback.ts';
import type { LegoSettings } from './lego/lego.ts';

export const readHubHalf: ReadHubHalf = (read) => {
  const settings = readLego(read);
  return {
    async load() {
      const { hub } = await import('./hub.ts');
      return (core) => hub(core, settings);
    },
  };
};

/** Nobody is asked, and lego need not be there: it can be installed any time. */
function readLego(read: SettingsReader): LegoSettings {
  const directory = read.text('ACME_DIRECTORY');
  const url = URL.parse(directory);
  const isPrivate = url?.protocol === 'https:' || isLoopbackHost(url?.host ?? '');
  if (!url || !/^https?:$/.test(url.protocol) || !isPrivate || url.username || url.hash) {
    read.fault('ACME_DIRECTORY', 'must be an https:// address, or http:// on this machine');
  }
  const roots = read.file('ACME_ROOTS_FILE');
  if (roots !== null && !roots.includes('-----BEGIN CERTIFICATE-----')) {
    read.fault('ACME_ROOTS_FILE', 'must be a file of certificates (PEM)');
  }
  return {
    bin: read.text('LEGO_BIN'),
    directory,
    roots: roots === null ? null : read.path('ACME_ROOTS_FILE'),
    listenBriefly,
  };
}
