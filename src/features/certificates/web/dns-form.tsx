/** Orders a certificate by DNS, or changes how one is ordered; credentials are in no state of the page. */
import { useId, useRef, useState } from 'preact/hooks';
import { ApiError, get, send } from '../../../web/lib/api.ts';
import { placeError, useSubmit } from '../../../web/lib/use-form.ts';
import { useLoad } from '../../../web/lib/use-load.ts';
import { Field, TextField } from '../../../web/parts/field.tsx';
import { InsetForm } from '../../../web/parts/list-card.tsx';
import { SkeletonRows } from '../../../web/parts/loading.tsx';
import { Notice, RefusedNotice } from '../../../web/parts/notice.tsx';
import type { ProvidersAnswer } from '../lego/providers.ts';
import { ProviderFields } from './provider-fields.tsx';
import { type FormProps, NameField, save } from './upload-form.tsx';

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
  const box = useRef<HTMLDivElement>(null);
  const list = useId();
  const [typed, setTyped] = useState(
    providers.find(({ id }) => id === stored?.provider)?.title ?? '',
  );
  const [isKept, setKept] = useState(stored !== null);
  const [step, setStep] = useState<'trying' | 'tried' | 'ordering'>();
  const provider = providers.find(({ id, title }) =>
    [id, title.toLowerCase()].includes(typed.trim().toLowerCase()),
  );
  const fields = provider?.fields ?? [];
  const { busy, error, run } = useSubmit(async (next: 'trying' | 'ordering') => {
    const form = box.current?.closest('form');
    if (!form?.reportValidity()) return;
    setStep(next);
    const given = new FormData(form);
    const text = (name: string) => String(given.get(name) ?? '').trim() || undefined;
    const words = (name: string) => text(name)?.split(/[\s,]+/);
    const credentials = fields.flatMap(({ name }) => {
      const value = text(name);
      return value === undefined ? [] : [[name, value]];
    });
    const order = {
      names: words('names') ?? [],
      email: text('email'),
      dns: isKept
        ? undefined
        : {
            provider: provider?.id ?? typed,
            credentials:
              stored && credentials.length === 0 ? undefined : Object.fromEntries(credentials),
            resolvers: words('resolvers'),
            wait: text('wait') && Number(text('wait')),
          },
    };
    if (next === 'ordering') {
      await onSaved(await save(stored, { name: text('name'), ...order }));
      return;
    }
    await send('POST', '/certificates/kept/try', {
      id: stored ? String(stored.id) : undefined,
      ...order,
    });
    setStep('tried');
  });
  const { at, notice } = placeError(error, [
    'name',
    'names',
    'email',
    'dns.provider',
    'dns.resolvers',
    'dns.wait',
    ...fields.map(({ name }) => `dns.credentials.${name}`),
  ]);
  // Nobody answered, or somebody else than the hub.
  const isLost =
    step === 'ordering' && error instanceof ApiError && ['OFFLINE', 'UNKNOWN'].includes(error.code);
  const order = stored ? 'Order again' : 'Order certificate';
  return (
    <InsetForm
      label={stored ? `Change ${stored.name}` : 'Get a certificate by DNS'}
      action={[order, step === 'ordering' ? 'Ordering …' : order]}
      busy={busy}
      notice={null}
      onSubmit={() => run('ordering')}
      onClose={onClose}
    >
      <div ref={box} onInput={() => !busy && setStep(undefined)}>
        {!stored && <NameField initial={firstLabel(wanted)} error={at('name')} />}
        <Field
          label="Host names"
          help="*.home.example stands for every name one level below home.example, but not for home.example itself."
          error={at('names')}
        >
          {(attributes) => (
            <textarea
              {...attributes}
              name="names"
              class="mono"
              rows={2}
              required
              autocapitalize="off"
              spellcheck={false}
              defaultValue={stored?.names.join('\n') ?? wanted.replaceAll(' ', '\n')}
            />
          )}
        </Field>
        <TextField
          label="Email"
          help={
            stored
              ? 'Leave it empty to keep it.'
              : 'Of your account at the authority, whose terms you accept with the order.'
          }
          error={at('email')}
          name="email"
          type="email"
          required={!stored}
          autocomplete="email"
        />
        {isKept ? (
          <div class="field">
            Provider and credentials stay as they are.{' '}
            <button type="button" class="link" onClick={() => setKept(false)}>
              Change them
            </button>
          </div>
        ) : (
          <>
            <Field
              label="DNS provider"
              error={at('dns.provider')}
              help={stored && 'Leave all fields below empty to keep their values.'}
            >
              {(attributes) => (
                <input
                  {...attributes}
                  type="text"
                  list={list}
                  required
                  autocomplete="off"
                  value={typed}
                  onInput={(event) => setTyped(event.currentTarget.value)}
                />
              )}
            </Field>
            <datalist id={list}>
              {providers.map(({ id, title }) => (
                <option key={id} value={title} label={id} />
              ))}
            </datalist>
            <ProviderFields provider={provider} at={at} />
          </>
        )}
        <p class="row">
          <button type="button" aria-disabled={busy} onClick={() => run('trying')}>
            {busy && step === 'trying' ? 'Trying …' : 'Try'}
          </button>
          <span class="small muted">Sets the record and removes it, without an order.</span>
        </p>
      </div>
      {step === 'tried' && (
        <Notice kind="success">The provider set the record, and removed it again.</Notice>
      )}
      {busy && step === 'ordering' && <Ordering />}
      {notice && <RefusedNotice error={error} />}
      {isLost && (
        <p>The hub may still be ordering: in that case the certificate appears here by itself.</p>
      )}
    </InsetForm>
  );
}

/** `home` of `*.home.example`. */
const firstLabel = (names: string): string => /^(?:\*\.)?([a-z0-9-]*)/i.exec(names)?.[1] ?? '';
