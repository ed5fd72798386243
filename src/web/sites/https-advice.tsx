/** Says in the site form why no certificate can come, and offers what would work. */
import { CodeBlock } from '../parts/code-block.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import type { Draft } from './draft.ts';
import { dnsDirective, overHttp, withDirective } from './https-ways.ts';
import { useHttpsAdvice } from './use-https-advice.ts';

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
      <ul>
        {ways.includes('dns') && (
          <DnsWay
            dns={known.dns}
            onUse={(name) => onChange(withDirective(draft, dnsDirective(name)))}
          />
        )}
        {ways.includes('internal') && (
          <li>
            <button type="button" onClick={() => onChange(withDirective(draft, 'tls internal'))}>
              Add “tls internal”
            </button>
            <span>
              Caddy’s own authority signs it. <TrustLink />
            </span>
          </li>
        )}
        {ways.includes('http') && (
          <li>
            <button type="button" onClick={() => onChange(overHttp(draft))}>
              Use http://
            </button>
            <span>No certificate, and nothing is encrypted: for networks that you trust.</span>
          </li>
        )}
      </ul>
    </div>
  );
}

function DnsWay(props: {
  dns: { providers: readonly string[]; command: string | null };
  onUse: (provider: string) => void;
}) {
  const { dns, onUse } = props;
  if (dns.command === null) {
    return dns.providers.map((name) => (
      <li key={name}>
        <button type="button" onClick={() => onUse(name)}>
          Add “tls” with {name}
        </button>
        <span>
          The DNS challenge. Put the API token of your DNS provider into the file that{' '}
          <span class="mono">PROXY_ENV_FILE</span> names.
        </span>
      </li>
    ));
  }
  return (
    <li class="https-dns">
      <details>
        <summary>Use the DNS challenge</summary>
        <p>
          This Caddy has no DNS provider. The command gets one, here for Cloudflare; then set{' '}
          <span class="mono">PROXY_BIN=/usr/local/bin/caddy</span> and restart signalbox.
        </p>
        <CodeBlock text={dns.command} label="Command" />
        <CopyButton text={dns.command} label="Copy command" />
      </details>
    </li>
  );
}

const TrustLink = () => (
  <>
    Browsers warn until they{' '}
    <a href="/certificates#trust-title" target="_blank" rel="noreferrer">
      trust its root
    </a>
    .
  </>
);
