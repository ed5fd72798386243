/** The dashboard's files: out of the binary, or bundled on the spot where the source runs. */
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Asset, Dashboard } from '../../hub/dashboard/routes.ts';
import page from '../../web/index.html';

type Part = { name: string; type: string; read: () => Promise<ArrayBuffer> };

/** @throws where the source is not there, or does not bundle */
export async function readDashboard(): Promise<Dashboard> {
  const parts = page.files ? embedded(page.files) : await bundle(page.index);
  const files = new Map<string, Asset>();
  let html = '';
  for (const { name, type, read } of parts) {
    const body = new Uint8Array(await read());
    if (type.startsWith('text/html')) html = new TextDecoder().decode(body);
    else files.set(name, { type, body, gzip: smaller(body) });
  }
  // A page may lie deeper than its files, and the policy allows no <base>; out of the source they
  // are named `./chunk-x.js`, in the binary from the root already, also where one loads another.
  return { page: html.replace(/(src|href)="\.\//g, '$1="/'), files };
}

const embedded = (files: NonNullable<typeof page.files>): Part[] =>
  files.map(({ path, headers }) => ({
    name: basename(path),
    type: headers['content-type'],
    read: () => Bun.file(path).arrayBuffer(),
  }));

async function bundle(entry: string): Promise<Part[]> {
  const { outputs } = await Bun.build({ entrypoints: [entry], minify: true, splitting: true });
  return outputs.map((output) => ({
    name: basename(output.path),
    type: output.type,
    read: () => output.arrayBuffer(),
  }));
}

function smaller(body: Uint8Array): Uint8Array<ArrayBuffer> | null {
  const packed = new Uint8Array(gzipSync(body, { level: 9 }));
  return packed.byteLength < body.byteLength ? packed : null;
}
