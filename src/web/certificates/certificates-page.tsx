/** The certificates page: every site that is served over HTTPS, and how its certificates are. */
import { get } from '../lib/api.ts';
import { plural } from '../lib/format.ts';
import { useHub } from '../lib/hub.ts';
import { navigate } from '../lib/router.ts';
import type { Certificate } from '../lib/types.ts';
import { ROOT_INSTALLED, useKept } from '../lib/use-browser.ts';
import { useEvery, useLoad } from '../lib/use-load.ts';
import { Empty } from '../parts/empty.tsx';
import { SkeletonRows } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { Segments } from '../parts/segments.tsx';
import { CERTIFICATES_CARDS } from '../seldom-features.ts';
import { CertificateTable } from './certificate-table.tsx';
import { addressOf, hasProblem, readView, rowsOf, shownRows, type View } from './rows.ts';

/** Certificates arrive within seconds, and errors within minutes. */
const EVERY_MS = 15_000;

export function CertificatesPage({ query }: { query: URLSearchParams }) {
  const { status, agents } = useHub();
  const unknown = agents.length > 1 ? agents.filter(({ proxy }) => !proxy.running) : [];
  const { data, error, reload } = useLoad(`certificates ${status?.lastPublish?.at}`, (signal) =>
    get<Certificate[]>('/certificates', signal),
  );
  useEvery(EVERY_MS, reload);
  const view = readView(query);
  const change = (next: View) => navigate(addressOf(next), { replace: true });
  const rows = shownRows(data ?? [], view);
  const sites = data && rowsOf(data);

  return (
    <>
      <h1 class="page-head">Certificates</h1>
      {CERTIFICATES_CARDS.map((Card) => (
        <Card key={Card.name} query={query} />
      ))}
      <div class="page-head row above">
        <h2>By site</h2>
        <Segments
          label="Show certificates"
          options={[
            ['all', `All ${sites?.length ?? ''}`],
            ['problems', `Problems ${sites?.filter(hasProblem).length ?? ''}`],
          ]}
          chosen={view.shown}
          onChoose={(shown) => change({ ...view, shown })}
        />
      </div>
      {error && unknown.length === 0 && <Notice kind="error" title={error} />}
      {unknown.length > 0 && (
        <Notice kind="warning">
          The certificates on {unknown.map(({ name }) => name).join(', ')} are not known.{' '}
          <a href="/proxies">Proxies</a>
        </Notice>
      )}
      {!data && !error && <SkeletonRows rows={6} label="Loading certificates" />}
      {data && (
        <p class="visually-hidden" role="status">
          Certificates of {plural(rows.length, 'site')}
        </p>
      )}
      {data && rows.length === 0 && (
        <Empty>
          {data.length > 0
            ? 'Every site has valid certificates.'
            : 'No site is served over HTTPS yet. Certificates appear here as soon as one is.'}
        </Empty>
      )}
      {rows.length > 0 && <CertificateTable rows={rows} view={view} onView={change} />}
      <TrustGuide isUsed={data?.some(({ authority }) => authority === 'internal') ?? false} />
    </>
  );
}

const DEVICES: readonly [string, string][] = [
  [
    'iPhone, iPad',
    'Open the file, then Settings › General › VPN & Device Management › install the profile. After that, switch it on in Settings › General › About › Certificate Trust Settings.',
  ],
  [
    'Android',
    'Settings › Security › More security settings › Encryption & credentials › Install a certificate › CA certificate. Browsers use it, many apps do not.',
  ],
  [
    'macOS',
    'sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain caddy-root.crt',
  ],
  ['Windows', 'certutil -addstore -f Root caddy-root.crt (in a terminal as administrator)'],
  [
    'Firefox',
    'Settings › Privacy & Security › Certificates › View Certificates › Authorities › Import, and trust it to identify websites.',
  ],
  [
    'Debian, Ubuntu',
    'sudo cp caddy-root.crt /usr/local/share/ca-certificates/ && sudo update-ca-certificates',
  ],
];

/** @param isUsed whether Caddy's own authority signs any certificate */
function TrustGuide({ isUsed }: { isUsed: boolean }) {
  const [isInstalled, setInstalled] = useKept(ROOT_INSTALLED, false);
  if (isInstalled) {
    return (
      <p class="prose above small muted">
        You installed the root of Caddy’s own authority on this device.{' '}
        <button type="button" class="link" onClick={() => setInstalled(false)}>
          Show the guide
        </button>
      </p>
    );
  }
  return (
    <section class="prose above" aria-labelledby="trust-title">
      <div class="card-head row between">
        <h2 id="trust-title">Caddy’s own authority</h2>
        {isUsed && (
          <span class="row">
            <a class="button" href="/api/certificates/root" download="caddy-root.crt">
              Download its root
            </a>
            <button type="button" onClick={() => setInstalled(true)}>
              I installed it
            </button>
          </span>
        )}
      </div>
      <p>
        It signs certificates for names that no public authority accepts, such as{' '}
        <span class="mono">nas.lan</span>, in sites with <span class="mono">tls internal</span>.
        Browsers warn until a device trusts its root; do this once per device, it lasts ten years.
        The file is not secret, but install it only from here.
      </p>
      <details>
        <summary>How to trust it on phones and computers</summary>
        <dl class="facts">
          {DEVICES.map(([device, steps]) => (
            <div key={device}>
              <dt>{device}</dt>
              <dd>{steps}</dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
  );
}
