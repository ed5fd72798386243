/** Which ports Caddy uses, why, and how to move it to 80 and 443. */
import { send } from '../lib/api.ts';
import { useHub } from '../lib/hub.ts';
import { useCan } from '../lib/roles.ts';
import type { Status } from '../lib/types.ts';
import { ActionButton } from './action-button.tsx';

type Serving = NonNullable<Status['serving']>;

/** Whether Caddy is on other ports than 80 and 443. */
const isElsewhere = ({ http, https }: Serving): boolean =>
  http.port !== http.wanted || https.port !== https.wanted;

type PortsProps = {
  serving: Serving;
  /** The class of the button that moves Caddy. */
  look?: string;
};

export function Ports({ serving, look = 'link' }: PortsProps) {
  const { refresh } = useHub();
  const canMove = useCan('owner');
  const { http, https, cure } = serving;
  const reasons = [...new Set([http.reason, https.reason])].filter((reason) => reason !== null);
  return (
    <>
      {http.port} and {https.port}
      {reasons.length > 0 && ` (${reasons.join('; ')})`}
      {/* The button does what signalbox's own command would. */}
      {cure !== null && !cure.startsWith('signalbox ') && (
        <>
          . To fix it: <code>{cure}</code>
        </>
      )}
      {canMove && isElsewhere(serving) && (
        <>
          {' '}
          <ActionButton
            class={look}
            act={async () => {
              await send('POST', '/ports/standard');
              refresh();
            }}
          >
            Move to {http.wanted} and {https.wanted}
          </ActionButton>
        </>
      )}
    </>
  );
}
