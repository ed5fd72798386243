/** Lets people choose where a site forwards to from the containers beside Caddy; nothing if there are none. */
import { useState } from 'preact/hooks';
import type { UpstreamPicker } from '../../../web/feature.ts';
import { get } from '../../../web/lib/api.ts';
import { useLoad } from '../../../web/lib/use-load.ts';
import type { ContainerView } from '../routes.ts';
import { ContainerDialog } from './container-dialog.tsx';

export const ContainerPicker: UpstreamPicker = ({ onChoose }) => {
  const [isOpen, setOpen] = useState(false);
  const { data: containers = [], reload } = useLoad('containers', (signal) =>
    get<ContainerView[]>('/containers', signal),
  );
  if (containers.length === 0) return null;
  return (
    <>
      {' '}
      <button
        type="button"
        class="link"
        onClick={() => {
          setOpen(true);
          void reload();
        }}
      >
        Choose a container …
      </button>
      {isOpen && (
        <ContainerDialog
          containers={containers}
          onChoose={(address) => {
            onChoose(address);
            setOpen(false);
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
};
