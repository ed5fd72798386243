/** A code as a proof of who one is. */
import type { Proof } from '../../../hub/auth/beside-passwords.ts';
import { CODE, Code, WRONG_CODE } from './codes-schema.ts';
import type { SecondFactor } from './second-factor.ts';

export const byCode = ({ prove }: Pick<SecondFactor, 'prove'>): Proof<typeof Code> => ({
  field: 'code',
  schema: Code,
  name: 'a code',
  example: { summary: 'Of an app, or a recovery code', value: CODE },
  refusals: [...WRONG_CODE, 'TOTP_NOT_ENABLED'],
  check: prove,
});
