/** A process that orders a certificate as the hub does, to be killed. */
import { createLego, type LegoSettings } from '../../../../src/features/certificates/lego/lego.ts';
import type { CertificateOrder } from '../../../../src/features/certificates/lego/order.ts';
import { listenBriefly } from '../../../../src/program/listen.ts';

type Given = {
  settings: Omit<LegoSettings, 'listenBriefly'>;
  folder: string;
  order: CertificateOrder;
};
const { settings, folder, order }: Given = JSON.parse(process.argv[2] ?? '');
await createLego({ ...settings, listenBriefly }, folder, () => {}).order(order);
