/** It has no types of its own. */
declare module 'oidc-provider';
