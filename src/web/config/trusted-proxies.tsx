/** Which proxies in front of Caddy it believes about the address of a visitor. */
import { type Answer, request } from '../lib/api.ts';
import type { Preamble } from '../lib/types.ts';
import { FormButton } from '../parts/form-of.tsx';

/** Those that have a name, and what people call them. */
const NAMED = {
  cloudflare: 'Cloudflare',
  private_ranges: 'A container, this machine, or another one in a private network',
} as const;
const NAMES = Object.entries(NAMED);

type Props = {
  stored: Answer<Preamble>;
  /** Of the address of the preamble, with its question mark; empty for the common one. */
  query: string;
  onSaved: (now: Answer<Preamble>) => void;
};

export function TrustedProxies({ stored, query, onSaved }: Props) {
  const trusted = stored.body.trustedProxies ?? [];
  const others = trusted.filter((one) => !(one in NAMED));
  const save = async (values: Record<string, string>) => {
    const addresses = (values.trustedProxies ?? '').split(/[\s,]+/).filter(Boolean);
    const named = NAMES.flatMap(([name]) => (values[name] === undefined ? [] : [name]));
    const all = [...named, ...addresses];
    const body = { trustedProxies: all.length > 0 ? all : null };
    onSaved(
      await request<Preamble>(`/preamble${query}`, { method: 'PUT', body, ifMatch: stored.etag }),
    );
  };
  return (
    <FormButton
      button="Proxies before Caddy …"
      title="Proxies before Caddy"
      action={['Save and publish', 'Publishing …']}
      kind="primary"
      onSubmit={save}
      fields={{
        trustedProxies: {
          label: 'Other addresses',
          type: 'lines',
          rows: 3,
          class: 'mono',
          required: false,
          value: others.join('\n'),
          help: 'Addresses or networks, one per line',
        },
      }}
    >
      <p class="muted">
        If another proxy forwards all requests to Caddy, policies and the log see its address
        instead of the visitor’s. Name the proxies that add the visitor to X-Forwarded-For, and only
        these: everyone who connects from there can say who they are.
      </p>
      <fieldset class="below">
        <legend>These proxies forward requests to Caddy</legend>
        {NAMES.map(([name, label]) => (
          <label key={name}>
            <input type="checkbox" name={name} defaultChecked={trusted.includes(name)} />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
    </FormButton>
  );
}
