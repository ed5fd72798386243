/** Turning the second factor of an account on and off. */

import { createSessions, type Person } from '../../../hub/auth/sessions/sessions.ts';
import type { HubCore } from '../../../hub/core.ts';
import { inTransaction } from '../../../hub/db/open.ts';
import { Failure } from '../../../shared/failure.ts';
import { hashOfRecoveryCode, loadTotp, makeRecoveryCodes } from './codes.ts';
import { createFactors, notEnabled } from './factors.ts';

export type FactorSetup = {
  /**
   * Makes a secret and recovery codes, which count once a first code was verified.
   * @throws Failure SECRET_KEY_UNUSABLE
   */
  enable(who: Person, issuer: string): Promise<{ totpURI: string; backupCodes: string[] }>;
  /** @throws Failure TOTP_NOT_ENABLED, SECRET_KEY_UNUSABLE */
  uri(who: Person): Promise<string>;
  /** Replaces the recovery codes. @throws Failure TWO_FACTOR_NOT_ENABLED */
  renewCodes(who: Person): string[];
  /** Ends the account's other sessions, if it had a second factor. */
  disable(who: Person): void;
};

export function createFactorSetup(core: HubCore): FactorSetup {
  const { db } = core;
  const factors = createFactors(core);
  const sessions = createSessions(core);

  return {
    async enable({ user }, issuer) {
      const totp = await loadTotp();
      const secret = totp.makeSecret();
      const backupCodes = makeRecoveryCodes();
      factors.put(user.id, secret, backupCodes.map(hashOfRecoveryCode));
      return { totpURI: totp.uriOf(secret, { issuer, label: user.email }), backupCodes };
    },

    async uri({ user }) {
      const totp = await loadTotp();
      const factor = factors.find(user.id, false) ?? factors.find(user.id, true);
      if (!factor) throw notEnabled('totp');
      return totp.uriOf(factors.open(factor), { issuer: '', label: user.email });
    },

    renewCodes(who) {
      const backupCodes = makeRecoveryCodes();
      inTransaction(db, () => {
        const factor = factors.find(who.user.id, true);
        if (!factor) throw new Failure('TWO_FACTOR_NOT_ENABLED', 'There is no second factor.');
        factors.change(factor, { codes: backupCodes.map(hashOfRecoveryCode) });
        factors.record(who, 'recovery codes');
      });
      return backupCodes;
    },

    disable(who) {
      const { user, session } = who;
      inTransaction(db, () => {
        const isOn = factors.find(user.id, true) !== undefined;
        for (const verified of [true, false]) factors.remove(user.id, verified);
        if (!isOn) return;
        sessions.endOthers(user.id, session.id);
        factors.record(who, 'totp disabled');
      });
    },
  };
}
