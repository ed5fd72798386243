/** How devices come to trust Caddy's own authority, with its root to download. */

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
export function TrustGuide({ isUsed }: { isUsed: boolean }) {
  return (
    <section class="trust-guide" aria-labelledby="trust-title">
      <div class="card-head">
        <h2 id="trust-title">Caddy’s own authority</h2>
        {isUsed && (
          <a class="button" href="/api/certificates/root" download="caddy-root.crt">
            Download its root
          </a>
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
        <dl class="devices">
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
