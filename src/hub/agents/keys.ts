/** The tokens of the enrolled agents: derived from one key, so that none is stored. */
import { hkdfSync } from 'node:crypto';

/** What a token belongs to; `generation` goes up with each rotation. */
type TokenOwner = { id: number; generation: number; fingerprint: string };

export type AgentKeys = {
  /**
   * Makes the key, unless there is one.
   * @param isKnown whether the agent that needs a token had one: then a lost key is replaced
   * @throws Failure SECRET_KEY_UNUSABLE; file system errors
   */
  make(isKnown: boolean): void;
  /** 43 characters of base64url. @throws Failure SECRET_KEY_UNUSABLE */
  tokenOf(agent: TokenOwner): string;
};

/** Of each token: 256 bits. */
const BYTES = 32;

/** @param secret the key of the hub; once read, it is kept: agents obey even if its file is lost */
export function createAgentKeys(secret: {
  read(): Buffer;
  make(despiteAgents: boolean): void;
}): AgentKeys {
  let key: Buffer | null = null;
  return {
    make(isKnown) {
      secret.make(isKnown);
      key = null;
    },
    tokenOf({ id, generation, fingerprint }) {
      key ??= secret.read();
      const info = `signalbox agent ${id} ${generation} ${fingerprint}`;
      return Buffer.from(hkdfSync('sha256', key, '', info, BYTES)).toString('base64url');
    },
  };
}
