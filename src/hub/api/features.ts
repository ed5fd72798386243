/** What the hub tells the parts of features, and asks of them, whichever there are. */
import { Failure } from '../../shared/failure.ts';
import type { HubObserver, HubPart, StartReplay } from '../core.ts';

/** Tells all parts. Asks for them only once something happens, when they are there. */
export function observeWith(parts: () => readonly HubPart[]): HubObserver {
  const all = () => parts().flatMap((part) => part.observe ?? []);
  return {
    request(seen) {
      for (const { request } of all()) request(seen);
    },
    publish(seen) {
      for (const { publish } of all()) publish(seen);
    },
    signInFailed(reason) {
      for (const { signInFailed } of all()) signInFailed(reason);
    },
  };
}

/** Without a feature that replays requests, none is. */
export const startReplayOf = (parts: readonly HubPart[]): StartReplay =>
  parts.find((part) => part.startReplay)?.startReplay ??
  (async () => {
    throw new Failure('INVALID_REQUEST', 'This hub cannot replay requests.', {
      at: { field: 'replay' },
    });
  });
