/** Signing in with more than a password: codes of an app, passkeys, and a sign-in service (OpenID Connect). */
import type { Feature } from '../../feature.ts';
import { readHubHalf } from './settings.ts';

export const signIn: Feature = { name: 'sign-in', hub: readHubHalf };
