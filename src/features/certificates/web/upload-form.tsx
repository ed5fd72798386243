/** Uploads a certificate with its key, or the next one in its place. */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { send } from '../../../web/lib/api.ts';
import { DropArea, readTextFile } from '../../../web/parts/drop-area.tsx';
import { type FieldSpec, SLUG } from '../../../web/parts/field-of.tsx';
import { FormOf } from '../../../web/parts/form-of.tsx';
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

/** The name of a certificate. */
export const NAME: FieldSpec = {
  label: 'Name',
  help: 'Lower-case letters, digits and hyphens, such as home.',
  ...SLUG,
};

const PEM = { type: 'lines', rows: 4, class: 'mono small', spellcheck: false } as const;
const PAIR = {
  chain: {
    label: 'Certificate',
    help: 'PEM: the certificate first, then what signed it; often called fullchain.pem.',
    ...PEM,
    around: (field: ComponentChildren) => <FromFile label="Choose certificate">{field}</FromFile>,
  },
  key: {
    label: 'Private key',
    help: 'PEM, without a passphrase. The hub seals it, and never shows it again.',
    ...PEM,
    around: (field: ComponentChildren) => <FromFile label="Choose private key">{field}</FromFile>,
  },
} as const;

export const UploadForm = ({ stored, onSaved, onClose }: FormProps) => (
  <FormOf<string>
    label={stored ? `Replace ${stored.name}` : 'Upload a certificate'}
    fields={stored ? PAIR : { name: NAME, ...PAIR }}
    action={[stored ? 'Replace' : 'Upload', 'Publishing …']}
    onSubmit={async (values) => onSaved(await save(stored, values))}
    onClose={onClose}
  />
);

/** A field whose text may also come from a file. */
function FromFile({ label, children }: { label: string; children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  return (
    <div ref={box}>
      <DropArea
        label={label}
        onFile={async (file) => {
          const text = await readTextFile(file);
          const area = box.current?.querySelector('textarea');
          if (area) area.value = text;
        }}
      >
        {children}
      </DropArea>
    </div>
  );
}
