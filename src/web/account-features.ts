/** What features bring to the account page and its dialog, one line each: apart, as what is alike compresses well together. */
import { FactorCard } from '../features/sign-in/web/factor-card.tsx';
import { LinkedCard } from '../features/sign-in/web/linked-card.tsx';
import { PasskeysCard } from '../features/sign-in/web/passkeys-card.tsx';
import { ProveDialog } from '../features/sign-in/web/prove-dialog.tsx';
import type { AccountCard, ProveDialog as Dialog } from './feature.ts';

export const ACCOUNT_CARDS: readonly AccountCard[] = [FactorCard, PasskeysCard, LinkedCard];

export const PROVE_DIALOGS: readonly Dialog[] = [ProveDialog];
