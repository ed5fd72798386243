/** Codes as the API takes them, and what it refuses them with. */
import { t } from 'elysia';

/** Of an app, or a recovery code. */
export const Code = t.String({ minLength: 1, maxLength: 64 });
export const CODE = '287082';

/** Refusals of routes that take a code. */
export const WRONG_CODE = [
  'VALIDATION_ERROR',
  'INVALID_CODE',
  'INVALID_BACKUP_CODE',
  'ACCOUNT_TEMPORARILY_LOCKED',
  'RATE_LIMITED',
  'SECRET_KEY_UNUSABLE',
] as const;
