/** What to do on a hub without sites. */
export function FirstSteps({ foreign }: { foreign: boolean }) {
  return (
    <section class="card" aria-label="First steps">
      <h2>Three steps to your first site</h2>
      <ol class="steps">
        <li>
          <strong>Point its name at this machine</strong>
          <p class="muted">
            Add a DNS record for the name with the address of the machine that Caddy runs on. Caddy
            then gets the certificate on its own. To try it on one machine, a name such as{' '}
            <code>http://app.localhost</code> needs no record.
          </p>
        </li>
        <li>
          <strong>
            <a href="/sites/new">Create your first site</a>
          </strong>
          <p class="muted">
            A name, and where its service listens.{' '}
            {foreign ? (
              <>
                Caddy already serves other sites: <a href="/import">import them</a> first.
              </>
            ) : (
              <>
                If you have a Caddyfile already, <a href="/import">import your Caddyfile</a>.
              </>
            )}
          </p>
        </li>
        <li>
          <strong>Open it in a browser</strong>
          <p class="muted">
            Its requests, errors and latency appear here and in the <a href="/logs">logs</a>.
          </p>
        </li>
      </ol>
    </section>
  );
}
