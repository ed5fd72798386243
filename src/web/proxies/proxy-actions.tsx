/** What can be done with a proxy: pause, rename, new token, remove. */
import { send, wordsOf } from '../lib/api.ts';
import { useHub } from '../lib/hub.ts';
import { useCan } from '../lib/roles.ts';
import { navigate, setFlash } from '../lib/router.ts';
import type { Agent } from '../lib/types.ts';
import { useSubmit } from '../lib/use-form.ts';
import { ConfirmButton } from '../parts/dialog.tsx';
import { PROXY_NAME } from '../parts/field-of.tsx';
import { FormButton } from '../parts/form-of.tsx';
import { Notice } from '../parts/notice.tsx';

type Props = {
  agent: Agent;
  /** The first one belongs to the hub's settings. */
  isFirst: boolean;
  /** Called after it was paused, resumed or given a new token. */
  onChanged: () => Promise<void>;
};

export function ProxyActions({ agent: { name, paused }, isFirst, onChanged }: Props) {
  const { refresh } = useHub();
  const isOwner = useCan('owner');
  const path = `/agents/${name}`;
  const change = async (...request: Parameters<typeof send>) => {
    await send(...request);
    refresh();
    await onChanged();
  };
  const resume = useSubmit(() => change('PATCH', path, { paused: false }));
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
        <ConfirmButton
          button="Pause …"
          title={`Pause ${name}?`}
          action="Pause"
          onConfirm={() => change('PATCH', path, { paused: true })}
        >
          <p>
            Nothing is published to it until you resume it. Its Caddy keeps its current sites,
            including any you delete, and ignores new policies until you resume.
          </p>
        </ConfirmButton>
      )}
      {isOwner && !isFirst && (
        <>
          <FormButton
            button="Rename …"
            title={`Rename ${name}`}
            fields={{ name: { ...PROXY_NAME, value: name } }}
            action={['Rename']}
            onSubmit={async (wanted) => {
              if (wanted.name === name) return;
              await send('PATCH', path, wanted);
              navigate(`/proxies/${wanted.name}`, { replace: true });
            }}
          />
          <ConfirmButton
            button="New token …"
            title={`Give ${name} a new token?`}
            action="Give a new token"
            kind="primary"
            onConfirm={() => change('POST', `${path}/rotate`)}
          >
            <p>
              The hub sends it to the agent. Nothing is interrupted, and the old token stops
              working.
            </p>
          </ConfirmButton>
          <ConfirmButton
            button="Remove …"
            title={`Remove ${name}?`}
            action="Remove proxy"
            name={name}
            onConfirm={remove}
          >
            <p>
              Its Caddy keeps running, but signalbox no longer changes it. Sites that are also
              served elsewhere stay there. To add it again, you need a new invitation.
            </p>
          </ConfirmButton>
        </>
      )}
      {resume.error !== null && <Notice kind="error">{wordsOf(resume.error)}</Notice>}
    </>
  );
}
