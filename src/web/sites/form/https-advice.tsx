/** Says in the site form why no certificate can come, and offers what would work. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { request } from '../../lib/api.ts';
import { useCan } from '../../lib/roles.ts';
import type { DraftAdvice } from '../../lib/types.ts';
import { useAsked } from '../../lib/use-asked.ts';
import { ROOT_INSTALLED, useKept } from '../../lib/use-browser.ts';
import { CodeBlock, CopyButton } from '../../parts/code-block.tsx';
import { closedBlock, headLine, withoutScheme } from './block.ts';
import { type Draft, isComplete, type Proxied } from './draft.ts';

type Props = { draft: Draft; onChange: (change: Partial<Draft>) => void };

export function HttpsAdvice({ draft, onChange }: Props) {
  const known = useHttpsAdvice(draft);
  if (!known) return null;
  const found = known.names.find(({ advice }) => advice !== null);
  if (!found?.advice) {
    const own = known.names.find(({ authority }) => authority === 'internal');
    if (!own) return null;
    return (
      <p class="field-help" role="status">
        Caddy’s own authority signs the certificate of {own.name}. <TrustLink />
      </p>
    );
  }
  const { message, ways } = found.advice;
  return (
    <div class="notice notice-warning https-advice" role="status">
      <strong>{message}</strong>
      <ul class="plain">
        {ways.includes('dns') && (
          <DnsWay
            name={found.name}
            dns={known.dns}
            onUse={(name) => onChange(withDirective(draft, dnsDirective(name)))}
          />
        )}
        {ways.includes('internal') && (
          <Way
            button="Add “tls internal”"
            onUse={() => onChange(withDirective(draft, 'tls internal'))}
          >
            Caddy’s own authority signs it. <TrustLink />
          </Way>
        )}
        {ways.includes('http') && (
          <Way button="Use http://" onUse={() => onChange(overHttp(draft))}>
            No certificate, and nothing is encrypted: for networks that you trust.
          </Way>
        )}
      </ul>
    </div>
  );
}

type WayProps = { button: string; onUse: () => void; children: ComponentChildren };

/** Changes the form in a way that would work. */
const Way = ({ button, onUse, children }: WayProps) => (
  <li class="row">
    <button type="button" onClick={onUse}>
      {button}
    </button>
    <span class="grow">{children}</span>
  </li>
);

type DnsProps = {
  name: string;
  dns: DraftAdvice['dns'];
  /** With the provider of a module of Caddy's. */
  onUse: (provider: string) => void;
};

function DnsWay({ name, dns, onUse }: DnsProps) {
  const isOwner = useCan('owner');
  const names = [name, ...(name.startsWith('*.') ? [name.slice(2)] : [])];
  return (
    <>
      <li class="row">
        {isOwner && (
          <a
            class="button"
            href={`/certificates?dns=${names.join('+')}`}
            target="_blank"
            rel="noreferrer"
          >
            Get one by DNS
          </a>
        )}
        <span>
          {isOwner ? 'The hub gets and renews it' : 'An owner can have the hub get and renew it'},
          with a token of your DNS provider.
        </span>
      </li>
      {dns.command === null ? (
        dns.providers.map((provider) => (
          <Way key={provider} button={`Add “tls” with ${provider}`} onUse={() => onUse(provider)}>
            Caddy gets it by DNS. Put the API token into the file that{' '}
            <span class="mono">PROXY_ENV_FILE</span> names.
          </Way>
        ))
      ) : (
        <li>
          <details>
            <summary>Or let Caddy get it by DNS</summary>
            <p>
              This Caddy has no DNS provider. The command gets one, here for Cloudflare; then set{' '}
              <span class="mono">PROXY_BIN=/usr/local/bin/caddy</span> and restart signalbox.
            </p>
            <CodeBlock text={dns.command} label="Command" />
            <CopyButton text={dns.command} label="Copy command" />
          </details>
        </li>
      )}
    </>
  );
}

/** Until somebody says that this device trusts it. */
function TrustLink() {
  const [isInstalled, setInstalled] = useKept(ROOT_INSTALLED, false);
  if (isInstalled) return null;
  return (
    <>
      Browsers warn until they{' '}
      <a href="/certificates#trust-title" target="_blank" rel="noreferrer">
        trust its root
      </a>
      .{' '}
      <button type="button" class="link" onClick={() => setInstalled(true)}>
        I installed it
      </button>
    </>
  );
}

/** Adds directives to the config: at its top, or at the top of its block if it is a whole one. */
export function withDirective(draft: Proxied, directive: string): Partial<Proxied> {
  const lines = draft.config.split('\n');
  const head = headLine(draft);
  const text = head === -1 ? directive : directive.replace(/^/gm, '\t');
  return { config: lines.toSpliced(head + 1, 0, text).join('\n') };
}

/** The same site over plain HTTP. */
export function overHttp(draft: Proxied & Pick<Draft, 'names'>): Partial<Draft> {
  const http = (name: string) => `http://${withoutScheme(name.trim())}`;
  const [domain, names] = [http(draft.domain), draft.names.map(http)];
  const lines = draft.config.split('\n');
  const head = headLine(draft);
  if (head === -1) return { domain, names };
  const addresses = (lines[head] ?? '').replace(
    /(^|[\s,])(?:https?:\/\/)?([^\s,{]+)/g,
    '$1http://$2',
  );
  return { domain, names, config: lines.with(head, addresses).join('\n') };
}

/** `tls` with a provider; the key comes from the environment of Caddy. */
export const dnsDirective = (provider: string): string =>
  `tls {\n\tdns ${provider} {env.${provider.toUpperCase().replace(/\W/g, '_')}_API_TOKEN}\n}`;

/** Longer than the preview's pause, which matters more. */
const PAUSE_MS = 700;

/** Null while nothing is known, also of a draft that would be refused: the preview explains that. */
function useHttpsAdvice(draft: Draft): DraftAdvice | null {
  const { domain, names, upstream } = draft;
  const isPlain = [domain, ...names].every((name) => /^\s*http:/i.test(name));
  const isAsked = isComplete(draft) && !isPlain;
  const body = { domain, config: closedBlock(draft), upstream };
  // The advice may have been followed in another tab.
  const [visits, setVisits] = useState(0);
  useEffect(() => {
    const count = () => setVisits((before) => before + 1);
    addEventListener('focus', count);
    return () => removeEventListener('focus', count);
  }, []);
  const ask = async (signal: AbortSignal) =>
    (await request<DraftAdvice>('/certificates/advice', { body, signal })).body;
  return useAsked(isAsked ? JSON.stringify([body, visits]) : null, ask, PAUSE_MS);
}
