/** The global options that an import leaves out. Pure. */
import { ADMIN_IS_OURS, globalOptions } from '../../../shared/caddyfile/globals.ts';
import type { TokenizeOptions } from '../../../shared/caddyfile/tokenizer.ts';

/** The global options that signalbox does not accept, and why an import leaves them out. */
const NOT_ACCEPTED: ReadonlyMap<string, string> = new Map([
  ['admin', ADMIN_IS_OURS],
  ['persist_config', 'persist_config: signalbox keeps the configuration itself'],
  [
    'storage',
    'storage: certificates and keys stay in the storage of the Caddy that signalbox uses',
  ],
]);

/** The global options that an import leaves out, with the reason. */
export const optionsLeftOut = (text: string, dialect: TokenizeOptions) =>
  globalOptions(text, dialect).flatMap((option) => {
    const reason = NOT_ACCEPTED.get(option.name);
    return reason === undefined ? [] : [{ ...option, reason }];
  });
