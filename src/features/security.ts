/** What hears of sign-ins and accounts, in the transaction that records them: also of a command without a hub. */
import type { SecurityListener } from '../hub/auth/security-log.ts';
import { queueSecurity } from './channels/security.ts';

export const SECURITY_LISTENERS: readonly SecurityListener[] = [queueSecurity];
