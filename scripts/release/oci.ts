/** An image of one layer as an OCI archive (opencontainers/image-spec), which is what Docker saves as well. */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256Of } from '../../src/shared/system/files.ts';
import { run } from './making.ts';

/**
 * Adds files and folders to a tar, which it makes if it is missing: the same bytes whoever runs it, whenever.
 * @param names in `folder`
 * @param date seconds since 1970, of all of them
 * @param how further options, such as another owner than root
 */
export function addToTar(
  file: string,
  folder: string,
  names: readonly string[],
  date: number,
  ...how: readonly string[]
): void {
  const same = ['--format=ustar', '--sort=name', `--mtime=@${date}`, '--numeric-owner'];
  const plain = ['--owner=0', '--group=0', '--mode=u=rwX,go=rX', ...how];
  run(['tar', '--append', '--file', file, ...same, ...plain, '-C', folder, ...names.toSorted()]);
}

/** What runs in a container, and how: `config` of an image's configuration. */
export type ImageConfig = Readonly<Record<string, unknown>>;

/**
 * Writes the archive. Beside the files of the layout it has the `manifest.json` that Docker reads without
 * its store of containerd.
 * @param layer a tar, which is gone afterwards
 * @param name with a tag
 */
export async function writeArchive(
  archive: string,
  layer: string,
  name: string,
  architecture: string,
  config: ImageConfig,
  date: number,
): Promise<void> {
  const work = mkdtempSync(join(dirname(archive), '.image-'));
  const blobs = join(work, 'blobs', 'sha256');
  mkdirSync(blobs, { recursive: true });

  /** Moves a file among the blobs. */
  async function keep(type: string, file: string) {
    const sum = await sha256Of(Bun.file(file));
    const { size } = statSync(file);
    renameSync(file, join(blobs, sum));
    return { mediaType: `application/vnd.oci.image.${type}`, digest: `sha256:${sum}`, size };
  }
  async function keepJson(type: string, content: object) {
    const file = join(work, 'json');
    await Bun.write(file, JSON.stringify(content));
    return keep(`${type}.v1+json`, file);
  }

  try {
    const created = new Date(date * 1000).toISOString();
    const platform = { architecture, os: 'linux' };
    const unpacked = `sha256:${await sha256Of(Bun.file(layer))}`;
    // A twentieth larger than the usual, and made in half the time.
    run(['gzip', '--no-name', '-3', layer]);
    const layers = [await keep('layer.v1.tar+gzip', `${layer}.gz`)];
    const configuration = await keepJson('config', {
      created,
      ...platform,
      config,
      rootfs: { type: 'layers', diff_ids: [unpacked] },
      history: [{ created, created_by: 'bun run release images' }],
    });
    const manifest = await keepJson('manifest', {
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config: configuration,
      layers,
    });
    const annotations = {
      'io.containerd.image.name': name,
      'org.opencontainers.image.ref.name': name.replace(/.*:/, ''),
    };
    const pathOf = ({ digest }: { digest: string }) => `blobs/${digest.replace(':', '/')}`;
    const files = {
      'oci-layout': { imageLayoutVersion: '1.0.0' },
      'index.json': {
        schemaVersion: 2,
        mediaType: 'application/vnd.oci.image.index.v1+json',
        manifests: [{ ...manifest, platform, annotations }],
      },
      'manifest.json': [
        { Config: pathOf(configuration), RepoTags: [name], Layers: layers.map(pathOf) },
      ],
    };
    for (const [file, content] of Object.entries(files)) {
      await Bun.write(join(work, file), JSON.stringify(content));
    }
    addToTar(archive, work, readdirSync(work), date);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
