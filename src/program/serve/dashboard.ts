/** The dashboard's files: embedded in the binary, or bundled on the spot when run from source. */
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Asset, Dashboard } from '../../hub/dashboard/routes.ts';
import { loadOnce } from '../../shared/memoize.ts';
import source from '../../web/index.html';

type Output = { name: string; type: string; read: () => Promise<ArrayBuffer> };

/** Once for each process, however many hubs it runs. @throws Error if the source is missing or does not bundle */
export const readDashboard = loadOnce(async (): Promise<Dashboard> => {
  const outputs = source.files ? embedded(source.files) : await bundle(source.index);
  const files = new Map<string, Asset>();
  let html = '';
  for (const { name, type, read } of outputs) {
    const body = new Uint8Array(await read());
    if (type.startsWith('text/html')) html = new TextDecoder().decode(body);
    else files.set(name, { type, body, gzip: smaller(body) });
  }
  const manifest = [...files.keys()].find((name) => name.endsWith('.webmanifest')) ?? '';
  html = html.replace(manifest, nameIcons(manifest, files));
  // Pages have deeper paths than their files, and the policy forbids <base>. Bundled from source the
  // files are called `./chunk-x.js`; in the binary their paths start at the root already.
  const page = html.replace(/(src|href)="\.\//g, '$1="/');
  // The script sets the theme, and the wrong one must not flash up before.
  return { page: page.replace('<script type="module"', '$& blocking="render"'), files };
});

/** Writes the names that the icons have by now into the manifest. @returns its own, which depends on them */
function nameIcons(manifest: string, files: Map<string, Asset>): string {
  const asset = files.get(manifest);
  if (!asset) throw new Error('The dashboard has no manifest');
  const text = new TextDecoder().decode(asset.body).replace(/\.\/(icon[\w-]*)\.\w+/g, (_, icon) => {
    const name = [...files.keys()].find((one) => one.replace(/-\w+\.\w+$/, '') === icon);
    return `/${name}`;
  });
  const body = new TextEncoder().encode(text);
  const name = manifest.replace(/\w+(?=\.)/, Bun.hash(text).toString(36));
  files.delete(manifest);
  files.set(name, { type: asset.type, body, gzip: smaller(body) });
  return name;
}

const embedded = (files: NonNullable<typeof source.files>): Output[] =>
  files.map(({ path, headers }) => ({
    name: basename(path),
    type: headers['content-type'],
    read: () => Bun.file(path).arrayBuffer(),
  }));

async function bundle(entry: string): Promise<Output[]> {
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    minify: true,
    splitting: true,
    // As in the binary: otherwise, JSX carries what only debuggers need.
    jsx: { development: false },
  });
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
