/** Uploads a certificate with its key, or the next one in its place; the key is in no state of the page. */
import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { send } from '../../../web/lib/api.ts';
import { placeError, useSubmit } from '../../../web/lib/use-form.ts';
import { DropArea, readTextFile } from '../../../web/parts/drop-area.tsx';
import { Field, TextField } from '../../../web/parts/field.tsx';
import { InsetForm } from '../../../web/parts/list-card.tsx';
import type { KeptCertificateView } from '../view.ts';

export type FormProps = {
  /** What it replaces; null: nothing. */
  stored: KeptCertificateView | null;
  onSaved: (kept: KeptCertificateView) => Promise<void>;
  onClose: () => void;
};

/** Stores a new one, or what is to become of a stored one. @throws as `send` */
export const save = (
  stored: KeptCertificateView | null,
  body: object,
): Promise<KeptCertificateView> =>
  send<KeptCertificateView>(
    stored ? 'PUT' : 'POST',
    `/certificates/kept${stored ? `/${stored.id}` : ''}`,
    body,
  );

/** Of a certificate; read from the form. */
export const NameField = ({ initial = '', error }: { initial?: string; error: string | null }) => (
  <TextField
    label="Name"
    help="Lower-case letters, digits and hyphens, such as home."
    error={error}
    name="name"
    type="text"
    required
    maxLength={40}
    autocomplete="off"
    autocapitalize="off"
    defaultValue={initial}
  />
);

export function UploadForm({ stored, onSaved, onClose }: FormProps) {
  const chain = useRef<HTMLTextAreaElement>(null);
  const key = useRef<HTMLTextAreaElement>(null);
  const { busy, error, run } = useSubmit(async () => {
    const name = chain.current?.form?.querySelector<HTMLInputElement>('[name=name]')?.value;
    const pair = { chain: chain.current?.value, key: key.current?.value };
    await onSaved(await save(stored, { name, ...pair }));
  });
  const { at, notice } = placeError(error, ['name', 'chain', 'key']);
  return (
    <InsetForm
      label={stored ? `Replace ${stored.name}` : 'Upload a certificate'}
      action={[stored ? 'Replace' : 'Upload', 'Publishing …']}
      busy={busy}
      notice={notice}
      onSubmit={run}
      onClose={onClose}
    >
      {!stored && <NameField error={at('name')} />}
      <PemField
        label="Certificate"
        help="PEM: the certificate first, then what signed it; often called fullchain.pem."
        error={at('chain')}
        area={chain}
      />
      <PemField
        label="Private key"
        help="PEM, without a passphrase. The hub seals it, and never shows it again."
        error={at('key')}
        area={key}
      />
    </InsetForm>
  );
}

type PemProps = {
  label: string;
  help: string;
  error: string | null;
  area: RefObject<HTMLTextAreaElement | null>;
};

const PemField = ({ area, ...field }: PemProps) => (
  <DropArea
    label={`Choose ${field.label.toLowerCase()}`}
    onFile={async (file) => {
      const text = await readTextFile(file);
      if (area.current) area.current.value = text;
    }}
  >
    <Field {...field}>
      {(attributes) => (
        <textarea
          {...attributes}
          ref={area}
          class="mono small"
          rows={4}
          required
          autocomplete="off"
          spellcheck={false}
        />
      )}
    </Field>
  </DropArea>
);
