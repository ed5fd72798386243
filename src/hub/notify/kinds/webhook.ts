/** Posts JSON with a signature to any address. */
import { secret, webhookUrl } from './fields.ts';
import { type Kind, originOf } from './kind.ts';

export const webhook: Kind = { fields: { url: webhookUrl, secret }, placeOf: originOf };
