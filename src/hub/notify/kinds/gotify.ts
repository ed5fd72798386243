/** Sends a message to a Gotify server, as one of its applications. */
import { serverUrl, token } from './fields.ts';
import { type Kind, originOf } from './kind.ts';

export const gotify: Kind = { fields: { url: serverUrl, token }, placeOf: originOf };
