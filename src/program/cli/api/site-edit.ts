/** `signalbox site edit`: by options, or the config in an editor. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Cli, Given } from '../command.ts';
import { type LocalRequest, Refused, readGiven } from './local-hub.ts';
import { changeSite, listSites, publishSite, readSite, type Site, siteWith } from './sites.ts';

/** The options that change a field; with none of them, the config is edited. */
export const FIELDS_OF_EDIT = ['upstream', 'config', 'on', 'check', 'expect', 'every'];

/** @returns the site as it is afterwards @throws Refused */
export const editSite = (given: Given, cli: Cli): Promise<Site> =>
  FIELDS_OF_EDIT.some(given.has) ? editFields(given, cli) : editConfig(given, cli);

async function editFields({ args: [, domain = ''], value }: Given, cli: Cli): Promise<Site> {
  const [upstream, file, on] = [value('upstream'), value('config'), value('on')];
  const config = file === undefined ? undefined : await readGiven(file);
  const toChange = (site: Site): LocalRequest => ({
    method: 'PUT',
    path: `/vhosts/${site.id}`,
    body: {
      ...(upstream !== undefined && { upstream }),
      ...(config !== undefined && { config }),
      ...(on !== undefined && { agents: on.split(',').filter(Boolean) }),
      ...checkOf(site, value),
    },
  });
  return changeSite((sites) => siteWith(domain, sites), toChange, cli);
}

/** The options that change a check besides its path. */
export const OF_CHECK = ['expect', 'every'] as const;

/** Its fields that options give. @param value of an option */
export const checkFields = (value: Given['value']) => {
  const [status, every] = [value('expect'), value('every')];
  return {
    ...(status !== undefined && { status: Number(status) }),
    ...(every !== undefined && { every: Number(every) }),
  };
};

/**
 * The field of the check, with what is not named as it was; an empty path is for no check.
 * @throws Refused if there is no check that the other options could change
 */
function checkOf({ domain, check }: Site, value: Given['value']) {
  const path = value('check');
  const lone = OF_CHECK.find((option) => value(option) !== undefined);
  if (path === undefined && lone === undefined) return {};
  if (path === '') return { check: null };
  const checked = path ?? check?.path;
  if (checked === undefined) {
    throw new Refused({ message: `${domain} has no check; --${lone} needs --check PATH` });
  }
  return { check: { ...check, path: checked, ...checkFields(value) } };
}

async function editConfig({ args: [, domain = ''] }: Given, cli: Cli): Promise<Site> {
  const { body: site, etag } = await readSite(siteWith(domain, await listSites(cli)), cli);
  const { config: stored } = site;
  if (stored === undefined) throw new Refused({ message: 'A viewer cannot edit a config.' });
  const file = join(mkdtempSync(join(tmpdir(), 'signalbox-')), nameOf(site));
  // An editor ends the last line.
  const isEnded = stored.endsWith('\n');
  writeFileSync(file, isEnded ? stored : `${stored}\n`, { mode: 0o600 });
  const read = () => {
    const text = readFileSync(file, 'utf8');
    return isEnded ? text : text.replace(/\n$/, '');
  };
  const remove = () => rmSync(dirname(file), { recursive: true, force: true });
  try {
    await runEditor(file, cli);
    const config = read();
    const request = { method: 'PUT', path: `/vhosts/${site.id}`, body: { config } } as const;
    const changed =
      config === stored
        ? null
        : await publishSite({ ...request, headers: { 'If-Match': etag } }, cli);
    remove();
    if (changed === null) cli.err('Nothing was changed.\n');
    return changed ?? site;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (read() !== site.config) throw keptIn(file, error);
    remove();
    throw error;
  }
}

/** The same refusal, which says where the text is. */
function keptIn(file: string, { refusal: { hint, ...refusal } }: Refused): Refused {
  const where = `Your text is in ${file}; to publish it, pass it as --config.`;
  return new Refused({ ...refusal, hint: hint === undefined ? where : `${hint} ${where}` });
}

/** For an editor that shows what kind of file it is. */
const nameOf = ({ domain }: Site): string =>
  `${domain.replace(/^https?:\/\//, '').replace(/[^a-z0-9.-]+/gi, '_')}.caddyfile`;

/** If neither VISUAL nor EDITOR is set. */
const USUAL_EDITORS = ['editor', 'nano', 'vi'];

/** Returns when the person has closed it. @throws Refused if there is none, or it fails */
async function runEditor(file: string, { env, machine, stopSignal }: Cli): Promise<void> {
  const editor = env.VISUAL || env.EDITOR || USUAL_EDITORS.find((name) => machine.which(name));
  if (!editor) throw new Refused({ message: 'there is no editor; set EDITOR to one' });
  // Ctrl+C is for the editor.
  void stopSignal();
  // May be several words, such as `code --wait`.
  const child = Bun.spawn(['sh', '-c', `exec ${editor} "$1"`, 'sh', file], {
    env,
    stdio: ['inherit', 'inherit', 'inherit'],
  });
  const code = await child.exited;
  if (code !== 0) throw new Refused({ message: `the editor failed (${editor}: ${code})` });
}
