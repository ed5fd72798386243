/** What can be done with a proxy: pause, rename, new token, remove. */
import { useState } from 'preact/hooks';
import { send, wordsOf } from '../lib/api.ts';
import { useHub } from '../lib/hub.ts';
import { useCan } from '../lib/roles.ts';
import { navigate, setFlash } from '../lib/router.ts';
import type { Agent } from '../lib/types.ts';
import { submitWith, useSubmit } from '../lib/use-form.ts';
import { Confirm, Dialog, FormActions } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';

type Props = {
  agent: Agent;
  /** The first one belongs to the hub's settings. */
  isFirst: boolean;
  /** Called after it was paused, resumed or given a new token. */
  onChanged: () => Promise<void>;
};

type Asked = 'pause' | 'rename' | 'rotate' | 'remove';

export function ProxyActions({ agent: { name, paused }, isFirst, onChanged }: Props) {
  const { refresh } = useHub();
  const isOwner = useCan('owner');
  const [asked, setAsked] = useState<Asked | null>(null);
  const path = `/agents/${name}`;
  const close = () => setAsked(null);
  const changed = async () => {
    refresh();
    await onChanged();
  };
  const resume = useSubmit(async () => {
    await send('PATCH', path, { paused: false });
    await changed();
  });
  const pause = async () => {
    await send('PATCH', path, { paused: true });
    close();
    await changed();
  };
  const rotate = async () => {
    await send('POST', `${path}/rotate`);
    close();
    await changed();
  };
  const remove = async () => {
    const { warnings } = await send<{ warnings: string[] }>('DELETE', path);
    const text = [`${name} is removed. Its Caddy keeps running.`, ...warnings].join(' ');
    setFlash({ kind: warnings.length > 0 ? 'warning' : 'success', text });
    refresh();
    navigate('/proxies', { replace: true });
  };
  return (
    <>
      {paused ? (
        <button type="button" class="primary" aria-disabled={resume.busy} onClick={resume.run}>
          {resume.busy ? 'Publishing …' : 'Resume'}
        </button>
      ) : (
        <button type="button" onClick={() => setAsked('pause')}>
          Pause …
        </button>
      )}
      {isOwner && !isFirst && (
        <>
          <button type="button" onClick={() => setAsked('rename')}>
            Rename …
          </button>
          <button type="button" onClick={() => setAsked('rotate')}>
            New token …
          </button>
          <button type="button" onClick={() => setAsked('remove')}>
            Remove …
          </button>
        </>
      )}
      {resume.error !== null && <Notice kind="error">{wordsOf(resume.error)}</Notice>}
      {asked === 'rename' && <Rename name={name} onClose={close} />}
      {asked === 'pause' && (
        <Confirm title={`Pause ${name}?`} action="Pause" onConfirm={pause} onClose={close}>
          <p>
            Nothing is published to it until you resume it. Its Caddy keeps its current sites,
            including any you delete, and ignores new policies until you resume.
          </p>
        </Confirm>
      )}
      {asked === 'rotate' && (
        <Confirm
          title={`Give ${name} a new token?`}
          action="Give a new token"
          kind="primary"
          onConfirm={rotate}
          onClose={close}
        >
          <p>
            The hub sends it to the agent. Nothing is interrupted, and the old token stops working.
          </p>
        </Confirm>
      )}
      {asked === 'remove' && (
        <Confirm
          title={`Remove ${name}?`}
          action="Remove proxy"
          name={name}
          onConfirm={remove}
          onClose={close}
        >
          <p>
            Its Caddy keeps running, but signalbox no longer changes it. Sites that are also served
            elsewhere stay there. To add it again, you need a new invitation.
          </p>
        </Confirm>
      )}
    </>
  );
}

function Rename({ name, onClose }: { name: string; onClose: () => void }) {
  const [text, setText] = useState(name);
  const { busy, error, run } = useSubmit(async () => {
    if (text !== name) await send('PATCH', `/agents/${name}`, { name: text });
    onClose();
    if (text !== name) navigate(`/proxies/${text}`, { replace: true });
  });
  return (
    <Dialog title={`Rename ${name}`} onClose={onClose}>
      <form onSubmit={submitWith(() => run())}>
        <TextField
          label="Name"
          help="Lower-case letters, digits and hyphens"
          error={error === null ? null : wordsOf(error)}
          type="text"
          value={text}
          required
          maxLength={40}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <FormActions action="Rename" disabled={busy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
