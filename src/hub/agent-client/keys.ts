/** The tokens of the enrolled agents: derived from one key, so that none is stored. */
import { hkdfSync } from 'node:crypto';
import { readIfThere } from '../../shared/files.ts';
import { newSecret } from '../../shared/secret-file.ts';

/** What a token belongs to; `generation` goes up with each rotation. */
export type TokenOwner = { id: number; generation: number; fingerprint: string };

export type AgentKeys = {
  /** 43 characters of base64url. @throws Error if the key's file is damaged; file system errors */
  tokenOf(agent: TokenOwner): string;
};

/** Of the key and of each token: 256 bits. */
const BYTES = 32;

/**
 * @param file readable only by its owner; made when it is first needed. One that is damaged is not
 * replaced, because every enrolled agent would then reject the hub.
 */
export function createAgentKeys(file: string): AgentKeys {
  let key: Buffer | null = null;

  function read(): Buffer {
    const text = readIfThere(file)?.trim() ?? newSecret(file, BYTES);
    if (/^[\w-]{43}$/.test(text)) return Buffer.from(text, 'base64url');
    throw new Error(
      `${file} is damaged: restore it from a backup, or remove it and invite this hub again from each agent`,
    );
  }

  return {
    tokenOf({ id, generation, fingerprint }) {
      key ??= read();
      const info = `signalbox agent ${id} ${generation} ${fingerprint}`;
      return Buffer.from(hkdfSync('sha256', key, '', info, BYTES)).toString('base64url');
    },
  };
}
