/** The body of a site, from what a host of NPM forwards to. Pure. */
import type { Remark } from '../notes.ts';
import type { AccessList, Location } from '../rows.ts';

export type Wanted = {
  /** What answers where no location and no nginx text does. */
  rest: { upstream: string } | { lines: readonly string[] };
  locations: readonly Location[];
  /** The nginx text of the server block. */
  advanced: string;
  stripsAuthorization: boolean;
  hasAccessList: boolean;
};

export type Body = {
  lines: readonly string[];
  clients: AccessList['clients'];
  remarks: readonly Remark[];
  /** Why it cannot be said in Caddy; none: it can. */
  unsayable: readonly string[];
};

/** Text of NPM as comments. */
export const commented = (text: string): string[] =>
  text.split('\n').map((line) => `# ${line.replaceAll('{$', '{ $')}`);

export function bodyOf({ rest, locations, advanced }: Wanted): Body {
  const given = [...locations.map((location) => JSON.stringify(location)), advanced];
  const texts = given.filter((text) => text.trim() !== '');
  const lines = 'lines' in rest ? rest.lines : ['reverse_proxy {upstream}'];
  const unsayable = texts.length > 0 ? ['Its nginx text is not converted.'] : [];
  return {
    lines: [...texts.flatMap(commented), ...lines],
    ...{ clients: [], remarks: [], unsayable },
  };
}
