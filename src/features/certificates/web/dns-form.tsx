/** Orders a certificate by DNS, or changes how one is ordered; credentials are in no state of the page. */
import { useState } from 'preact/hooks';
import { ApiError, get, send } from '../../../web/lib/api.ts';
import { useLoad } from '../../../web/lib/use-load.ts';
import type { FieldSpec } from '../../../web/parts/field-of.tsx';
import { FormOf, type FormState } from '../../../web/parts/form-of.tsx';
import { SkeletonRows } from '../../../web/parts/loading.tsx';
import { Notice, RefusedNotice } from '../../../web/parts/notice.tsx';
import type { ProvidersAnswer } from '../lego/providers.ts';
import { ProviderFields } from './provider-fields.tsx';
import { type FormProps, NAME, save } from './upload-form.tsx';

/** @param wanted names for a new one, with spaces between them; may be empty */
type Props = FormProps & { wanted: string };

export function DnsForm(props: Props) {
  const { data, error } = useLoad('DNS providers', (signal) =>
    get<ProvidersAnswer>('/certificates/providers', signal),
  );
  if (error) return <Notice kind="error" title={error} />;
  if (!data) return <SkeletonRows rows={6} label="Loading the DNS providers" />;
  if (!data.available) return <Notice kind="warning">{data.reason}</Notice>;
  return <OrderForm {...props} providers={data.providers} />;
}

/** While an authority is asked. */
export const Ordering = () => (
  <Notice kind="info">
    This takes up to five minutes: the record has to spread to all DNS servers of your zone.
  </Notice>
);

function OrderForm(props: Props & { providers: ProvidersAnswer['providers'] }) {
  const { stored, wanted, providers, onSaved, onClose } = props;
  const [chosen, setChosen] = useState(stored?.provider ?? '');
  const [isKept, setKept] = useState(stored !== null);
  const [step, setStep] = useState<'trying' | 'tried' | 'ordering'>();
  const provider = providers.find(({ id }) => id === chosen);
  const credentials = provider?.fields ?? [];
  const submit = async (values: Record<string, string>, way: string) => {
    setStep(way === 'try' ? 'trying' : 'ordering');
    const text = (name: string) => values[name]?.trim() || undefined;
    const words = (name: string) => text(name)?.split(/[\s,]+/);
    const given = credentials.flatMap(({ name }) => {
      const value = text(name);
      return value === undefined ? [] : [[name, value]];
    });
    const order = {
      names: words('names') ?? [],
      email: text('email'),
      dns: isKept
        ? undefined
        : {
            provider: chosen,
            credentials: stored && given.length === 0 ? undefined : Object.fromEntries(given),
            resolvers: words('resolvers'),
            wait: text('wait') && Number(text('wait')),
          },
    };
    if (way !== 'try') {
      await onSaved(await save(stored, { name: text('name'), ...order }));
      return;
    }
    const id = stored ? String(stored.id) : undefined;
    await send('POST', '/certificates/kept/try', { id, ...order });
    setStep('tried');
  };
  const providerField: FieldSpec = {
    label: 'DNS provider',
    help: provider && <Needs of={provider} isStored={stored !== null} />,
    required: true,
    options: [
      { value: '', label: 'Choose one' },
      ...providers.map(({ id, title }) => ({ value: id, label: title })),
    ],
    value: chosen,
    onText: setChosen,
  };
  const action = stored ? 'Order again' : 'Order certificate';
  const more = ({ at, busy, submit: run }: FormState) => (
    <>
      {isKept ? (
        <div class="field">
          Provider and credentials stay as they are.{' '}
          <button type="button" class="link" onClick={() => setKept(false)}>
            Change them
          </button>
        </div>
      ) : (
        <ProviderFields provider={provider} at={at} />
      )}
      <p class="row">
        <button
          type="button"
          aria-disabled={busy}
          onClick={({ currentTarget: { form } }) => form?.reportValidity() && run('try')}
        >
          {busy && step === 'trying' ? 'Trying …' : 'Try'}
        </button>
        <span class="small muted">Sets the record and removes it, without an order.</span>
      </p>
      {step === 'tried' && (
        <Notice kind="success">The provider set the record, and removed it again.</Notice>
      )}
      {busy && step === 'ordering' && <Ordering />}
    </>
  );
  return (
    <div onInput={() => setStep((now) => (now === 'tried' ? undefined : now))}>
      <FormOf<string>
        label={stored ? `Change ${stored.name}` : 'Get a certificate by DNS'}
        fields={{
          ...(!stored && { name: { ...NAME, value: firstLabel(wanted) } }),
          names: {
            label: 'Host names',
            help: '*.home.example stands for every name one level below home.example, but not for home.example itself.',
            type: 'lines',
            rows: 2,
            class: 'mono',
            autocapitalize: 'off',
            spellcheck: false,
            value: stored?.names.join('\n') ?? wanted.replaceAll(' ', '\n'),
          },
          email: {
            label: 'Email',
            help: stored
              ? 'Leave it empty to keep it.'
              : 'Of your account at the authority, whose terms you accept with the order.',
            type: 'email',
            required: !stored,
            autocomplete: 'email',
          },
          ...(!isKept && { 'dns.provider': providerField }),
        }}
        action={[action, step === 'ordering' ? 'Ordering …' : action]}
        onSubmit={submit}
        onClose={onClose}
        more={more}
        places={[
          'dns.resolvers',
          'dns.wait',
          ...credentials.map(({ name }) => `dns.credentials.${name}`),
        ]}
        notice={(error) => (
          <>
            <RefusedNotice error={error} />
            {step === 'ordering' && isLost(error) && (
              <p>
                The hub may still be ordering: in that case the certificate appears here by itself.
              </p>
            )}
          </>
        )}
      />
    </div>
  );
}

type NeedsProps = { of: ProvidersAnswer['providers'][number]; isStored: boolean };

/** What a provider asks for, and where that is described. */
const Needs = ({ of: { id, title, fields }, isStored }: NeedsProps) => (
  <>
    {title} takes {fields.flatMap(({ name, advanced }) => (advanced ? [] : name)).join(', ')}:{' '}
    <a href={`https://go-acme.github.io/lego/dns/${id}/`} target="_blank" rel="noreferrer">
      which of them, and how to get them
    </a>
    .{isStored && ' Leave all fields below empty to keep their values.'}
  </>
);

/** Whether nobody answered, or somebody else than the hub. */
const isLost = (error: unknown): boolean =>
  error instanceof ApiError && ['OFFLINE', 'UNKNOWN'].includes(error.code);

/** `home` of `*.home.example`. */
const firstLabel = (names: string): string => /^(?:\*\.)?([a-z0-9-]*)/i.exec(names)?.[1] ?? '';
