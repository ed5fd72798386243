/** The list of all proxies, and the form that adds another one. */
import { useState } from 'preact/hooks';
import { ApiError, send, wordsOf } from '../lib/api.ts';
import { plural } from '../lib/format.ts';
import { useHub } from '../lib/hub.ts';
import { useCan } from '../lib/roles.ts';
import { navigate, setFlash, takeFlash } from '../lib/router.ts';
import type { Agent } from '../lib/types.ts';
import { CopyButton } from '../parts/code-block.tsx';
import { ConfirmReplace } from '../parts/dialog.tsx';
import { PROXY_NAME } from '../parts/field-of.tsx';
import { FormOf } from '../parts/form-of.tsx';
import { useOpener } from '../parts/list-card.tsx';
import { SkeletonRows } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { caddyOf, ProxyStanding } from './standing.tsx';

export function ProxiesPage() {
  const [flash] = useState(takeFlash);
  const { agents } = useHub();
  const { opened, opener, close } = useOpener();
  const canAdd = useCan('owner');
  return (
    <>
      <div class="page-head row">
        <h1>Proxies</h1>
        {canAdd && (
          <button {...opener('form')} class="primary">
            Add proxy
          </button>
        )}
      </div>
      {flash && <Notice kind={flash.kind}>{flash.text}</Notice>}
      {opened && <AddProxy onClose={close} />}
      {agents.length === 0 && <SkeletonRows rows={2} label="Loading proxies" />}
      {agents.length > 0 && (
        <ul class="policies card flush lines plain">
          {agents.map((agent) => (
            <ProxyRow key={agent.name} agent={agent} />
          ))}
        </ul>
      )}
      {canAdd && agents.length === 1 && !opened && (
        <p class="prose above muted">
          A second proxy serves your sites from another machine: a twin that takes over when the
          first one is down, or a VPS in front of your home. Each site is served everywhere, or only
          on the proxies that you choose. A change goes live on all of them or on none, and a proxy
          that was offline catches up when it returns. “Add proxy” shows how.
        </p>
      )}
    </>
  );
}

function ProxyRow({ agent }: { agent: Agent }) {
  const { name, url, detail, sites } = agent;
  return (
    <li>
      <div>
        <a class="name" href={`/proxies/${name}`}>
          {name}
        </a>
        <span class="block mono muted">{url}</span>
      </div>
      <p>
        <ProxyStanding agent={agent} />
        {detail && <span class="block muted">{detail}</span>}
      </p>
      <p class="muted">{caddyOf(agent)}</p>
      <p>
        <a href={`/sites?agent=${name}`}>{plural(sites, 'site')}</a>
      </p>
    </li>
  );
}

/** Either of them prints an invitation. */
const LINES = [
  { title: 'With systemd', line: 'sudo ./signalbox install agent --invite' },
  { title: 'By hand', line: 'AGENT_HOST=0.0.0.0 ./signalbox agent --invite' },
] as const;

/** What is said once a proxy is added. */
const addedText = ({ name, state, detail }: Pick<Agent, 'name' | 'state' | 'detail'>) =>
  state === 'in-step'
    ? ({ kind: 'success', text: `${name} is added and up to date.` } as const)
    : ({
        kind: 'warning',
        text: `${name} is added, but not up to date yet${detail ? `: ${detail}` : '.'}`,
      } as const);

/** Adds a proxy: what to run on its machine, and a form for the line that is printed there. */
function AddProxy({ onClose }: { onClose: () => void }) {
  const { refresh } = useHub();
  const [replace, setReplace] = useState<(() => Promise<void>) | null>(null);
  return (
    <section class="card add-proxy below" aria-label="Add a proxy">
      <p>
        Copy the signalbox program to the machine of the proxy, and run <strong>one</strong> of
        these lines there. This hub opens the connection, so it need not be reachable.
      </p>
      <dl class="facts below">
        {LINES.map(({ title, line }) => (
          <div key={line}>
            <dt>{title}</dt>
            <dd class="row">
              <code>{line}</code>
              <CopyButton text={line} label="Copy" />
            </dd>
          </div>
        ))}
      </dl>
      <p class="muted">
        The agent works with the Caddy that runs there. To have it run its own, add{' '}
        <code>--managed</code> to the first line, or put <code>PROXY_MANAGED=true</code>{' '}
        <code>PROXYFILE=data/Caddyfile</code> <code>ACCESS_LOG=data/logs/access.log</code> before
        the second. If the hub must use another address than that of the machine, write it after{' '}
        <code>--invite</code>: <code>https://vps.example:3002</code>.
      </p>
      <FormOf
        label="New proxy"
        fields={{
          name: PROXY_NAME,
          invitation: {
            label: 'Invitation',
            help: 'The line that begins with “invitation:”. It is valid once, for ten minutes.',
            class: 'mono',
            spellcheck: false,
            codes: /^INVITATION_INVALID$/,
          },
        }}
        action={['Add this proxy', 'Publishing …']}
        onSubmit={async (values, way) => {
          const agent = await send<Agent>('POST', `/agents${way}`, values);
          setFlash(addedText(agent));
          refresh();
          navigate(`/proxies/${agent.name}`);
        }}
        onClose={onClose}
        notice={(error, { submit }) =>
          error instanceof ApiError && error.code === 'IMPORT_FIRST' ? (
            <Notice kind="warning" title="Its Caddy serves sites that this hub did not publish">
              Add the same sites here first, or{' '}
              <button
                type="button"
                class="link"
                onClick={() => setReplace(() => () => submit('?replace=true'))}
              >
                replace them
              </button>
              . The invitation stays valid.
            </Notice>
          ) : (
            <Notice kind="error">{wordsOf(error)}</Notice>
          )
        }
      />
      {replace && <ConfirmReplace onReplace={replace} onClose={() => setReplace(null)} />}
    </section>
  );
}
