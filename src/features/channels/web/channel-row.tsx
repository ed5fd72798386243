/** A channel: where it leads, how its deliveries go, and what can be done with it. */
import { useState } from 'preact/hooks';
import { lasting } from '../../../web/incidents/words.ts';
import { send } from '../../../web/lib/api.ts';
import { plural } from '../../../web/lib/format.ts';
import { useSubmit } from '../../../web/lib/use-form.ts';
import { ConfirmButton } from '../../../web/parts/dialog.tsx';
import { useOpener } from '../../../web/parts/list-card.tsx';
import { Notice, RefusedNotice } from '../../../web/parts/notice.tsx';
import { Time } from '../../../web/parts/time.tsx';
import type { ChannelView } from '../schema.ts';
import { ChannelForm } from './channel-form.tsx';
import { KINDS } from './kinds.ts';
import { placeOf, scopeOf } from './words.ts';

type Props = {
  channel: ChannelView;
  /** When the last message was delivered, ISO 8601. */
  lastSent: string | null | undefined;
  /** Whether a test message was sent when it was added. */
  isTried: boolean;
  onChanged: () => Promise<void>;
};

export function ChannelRow({ channel, lastSent, isTried, onChanged }: Props) {
  const { id, name, kind, enabled } = channel;
  const path = `/channels/${id}`;
  const { opened, opener, close } = useOpener();
  const [isSent, setSent] = useState(isTried);
  const test = useSubmit(async () => {
    setSent(false);
    await send('POST', `${path}/test`);
    setSent(true);
    await onChanged();
  });
  const toggle = useSubmit(async () => {
    await send('PUT', path, { enabled: !enabled });
    await onChanged();
  });
  return (
    <li>
      <span class={`lamp lamp-${levelOf(channel, lastSent)}`} aria-hidden="true" />
      <div>
        <strong>{name}</strong> <span class="tag muted">{KINDS[kind].title}</span>
        <p class="muted">
          {placeOf(channel)}, {scopeOf(channel)}
        </p>
        <p>
          <Standing channel={channel} lastSent={lastSent} />
        </p>
      </div>
      <div class="buttons row">
        <button type="button" aria-disabled={test.busy} onClick={() => test.run()}>
          {test.busy ? 'Sending …' : 'Send a test'}
        </button>
        <button {...opener('form')} aria-label={`Edit ${name}`}>
          Edit
        </button>
        <ConfirmButton
          button="Delete …"
          label={`Delete ${name}`}
          title={`Delete ${name}?`}
          action="Delete channel"
          onConfirm={async () => {
            await send('DELETE', path);
            await onChanged();
          }}
        >
          <p>Its deliveries are deleted too, and queued messages are not sent.</p>
        </ConfirmButton>
        <label>
          <input
            type="checkbox"
            role="switch"
            aria-checked={enabled}
            aria-label={`Send to ${name}`}
            aria-busy={toggle.busy}
            checked={enabled}
            onChange={() => toggle.run()}
          />
          Send
        </label>
      </div>
      {isSent && <Notice kind="success">Sent. Has it arrived?</Notice>}
      {[test.error, toggle.error].map((error) => error && <RefusedNotice error={error} />)}
      {opened && (
        <ChannelForm
          kind={kind}
          channel={channel}
          onSaved={async (_, isTried) => {
            close();
            setSent(isTried);
            await onChanged();
          }}
          onClose={close}
        />
      )}
    </li>
  );
}

function levelOf({ enabled, failing }: ChannelView, lastSent: Props['lastSent']) {
  if (failing) return 'bad';
  return enabled && lastSent ? 'good' : 'unknown';
}

type StandingProps = Pick<Props, 'channel' | 'lastSent'>;

function Standing({ channel: { enabled, failing, waiting }, lastSent }: StandingProps) {
  const backlog = waiting > 0 && ` · ${plural(waiting, 'message')} waiting`;
  if (failing) {
    return (
      <span class="bad">
        failing for {lasting(failing.since, new Date().toISOString())}: {failing.detail}
        {backlog}
      </span>
    );
  }
  if (!enabled) return <span class="muted">off{backlog}</span>;
  if (!lastSent) return <span class="muted">nothing sent yet{backlog}</span>;
  return (
    <span class="muted">
      last message delivered <Time at={lastSent} />
      {backlog}
    </span>
  );
}
