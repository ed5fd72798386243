/** What a DNS provider needs, in lego's words, and how its zone is asked; the form reads the inputs by their names. */
import { TextField } from '../../../web/parts/field.tsx';
import type { ProvidersAnswer } from '../lego/providers.ts';

type Props = {
  /** Undefined until one is chosen. */
  provider: ProvidersAnswer['providers'][number] | undefined;
  /** What is wrong with a field of the request. */
  at: (name: string) => string | null;
};

export function ProviderFields({ provider, at }: Props) {
  const fields = provider?.fields ?? [];
  const faultOf = (name: string) => at(`dns.credentials.${name}`);
  const inputs = (isAdvanced: boolean) =>
    fields
      .filter(({ advanced = false }) => advanced === isAdvanced)
      .map(({ name, description }) => (
        <TextField
          key={`${provider?.id} ${name}`}
          label={name}
          help={description}
          error={faultOf(name)}
          name={name}
          {...(PUBLIC.test(name)
            ? ({ type: 'text', autocomplete: 'off' } as const)
            : // With `off`, a browser may fill in the password of this dashboard.
              ({ type: 'password', autocomplete: 'new-password' } as const))}
        />
      ));
  const isWrong =
    (at('dns.resolvers') ?? at('dns.wait')) !== null ||
    fields.some(({ name, advanced }) => advanced && faultOf(name));
  return (
    <>
      {inputs(false)}
      <details class="site-more" open={isWrong}>
        <summary>More</summary>
        <TextField
          label="DNS servers to ask"
          help="With split DNS, when your network’s DNS answers for the zone itself: name a public one, such as 1.1.1.1."
          error={at('dns.resolvers')}
          name="resolvers"
          type="text"
          class="mono"
          autocomplete="off"
        />
        <TextField
          label="Seconds to wait"
          help="Only if this network blocks or redirects port 53: the order then waits this long, instead of asking the nameservers of the zone."
          error={at('dns.wait')}
          name="wait"
          type="text"
          inputMode="numeric"
          pattern="\d*"
          autocomplete="off"
        />
        {inputs(true)}
      </details>
    </>
  );
}

/** Values that are no secret: a person who types one wants to see it. */
const PUBLIC =
  /_(?:NAMESERVER|ALGORITHM|EMAIL|REGION|ENDPOINT|URL|USER(?:NAME)?|INTERVAL|TIMEOUT)$/;
