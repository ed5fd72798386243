/** The tokens of the enrolled agents: derived from one key, so that none is stored. */
import { hkdfSync } from 'node:crypto';
import { newSecret, readIfThere } from '../../shared/system/files.ts';

/** What a token belongs to; `generation` goes up with each rotation. */
export type TokenOwner = { id: number; generation: number; fingerprint: string };

export type AgentKeys = {
  /** Makes the key, unless there is one. @throws file system errors */
  make(): void;
  /**
   * 43 characters of base64url.
   * @throws Error if the key's file is missing or damaged; file system errors
   */
  tokenOf(agent: TokenOwner): string;
};

/** Of the key and of each token: 256 bits. */
const BYTES = 32;

/**
 * @param file readable only by its owner. One that is missing or damaged is never replaced unasked,
 * because every enrolled agent would then reject the hub.
 */
export function createAgentKeys(file: string): AgentKeys {
  let key: Buffer | null = null;

  function read(): Buffer {
    const text = readIfThere(file)?.trim();
    if (text === undefined) {
      throw new Error(
        `${file} is missing: restore a copy of it and restart the hub, or invite this hub again from each agent`,
      );
    }
    if (/^[\w-]{43}$/.test(text)) return Buffer.from(text, 'base64url');
    throw new Error(
      `${file} is damaged: restore it from a backup, or remove it and invite this hub again from each agent`,
    );
  }

  return {
    make() {
      if (key === null && readIfThere(file) === null) newSecret(file, BYTES);
    },
    tokenOf({ id, generation, fingerprint }) {
      key ??= read();
      const info = `signalbox agent ${id} ${generation} ${fingerprint}`;
      return Buffer.from(hkdfSync('sha256', key, '', info, BYTES)).toString('base64url');
    },
  };
}
