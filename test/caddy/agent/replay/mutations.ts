/** Changes of a configuration, as people make them. */
import {
  type Config,
  homeOf,
  LAST,
  NAMES,
  PARTS,
  pickOf,
  type Site,
  type Stuff,
} from './configs.ts';

/** Changes the configuration. @returns false if it has nothing to change */
type Mutation = (config: Config, stuff: Stuff) => boolean;

/** Replaces the text in one of the parts that have it. */
const inPart =
  (wanted: RegExp, replace: (found: string, stuff: Stuff) => string): Mutation =>
  ({ sites }, stuff) => {
    const having = sites.flatMap((site) =>
      site.parts.flatMap((part, at) => (wanted.test(part) ? [{ site, at, part }] : [])),
    );
    if (having.length === 0) return false;
    const { site, at, part } = having[stuff.random.below(having.length)] as (typeof having)[0];
    site.parts[at] = part.replace(wanted, (found) => replace(found, stuff));
    return site.parts[at] !== part;
  };

/** Changes one of the sites. @param change returns false if it has nothing to change */
const inSite =
  (change: (site: Site, stuff: Stuff) => boolean): Mutation =>
  ({ sites }, stuff) =>
    change(sites[stuff.random.below(sites.length)] as Site, stuff);

const add = (part: (stuff: Stuff) => string): Mutation =>
  inSite((site, stuff) => {
    const added = part(stuff);
    if (site.parts.includes(added)) return false;
    site.parts.unshift(added);
    return true;
  });

const otherUpstream = (found: string, { services, random }: Stuff): string => {
  const others = services.applications.slice(0, 5).filter((one) => one !== found);
  return others[random.below(others.length)] ?? found;
};

function shuffle<T>(items: T[], { random }: Stuff): void {
  for (let at = items.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [items[at], items[other]] = [items[other] as T, items[at] as T];
  }
}

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'a part more': add((stuff) => pickOf(PARTS, stuff)),
  'a part less': inSite((site, { random }) => {
    if (site.parts.length < 2) return false;
    site.parts.splice(random.below(site.parts.length), 1);
    return true;
  }),
  'another end': inSite((site, stuff) => {
    site.parts[site.parts.length - 1] = pickOf(LAST, stuff);
    return true;
  }),
  'another path': inPart(/\/(?:api|app|admin|secret|files)(?=[/*])/, () => '/api/v2'),
  'another method': inPart(/method POST PUT/, () => 'method GET'),
  'another query': inPart(/debug=(?:1|\*)/, () => 'page=2'),
  'another agent': inPart(/\*Bot\*/, () => 'curl/*'),
  'a guard by address': add(
    ({ addresses: { home } }) => `@only not remote_ip ${home[0]}\nrespond @only 403`,
  ),
  'a narrower guard': inPart(
    /remote_ip [^\n]+/,
    (_, { addresses: { home } }) => `remote_ip ${home[0]}`,
  ),
  'a wider guard': inPart(
    /remote_ip [^\n]+/,
    (found, { addresses }) => `${found} ${addresses.foreign[0]}`,
  ),
  'a turned guard': inPart(/not remote_ip/, () => 'remote_ip'),
  'a password more': add(
    ({ basicAuth }) =>
      `${basicAuth} /api/* {\n\tkim ${'$2a$14$Zkx19XLiW6VYouLHR5NmfOFU0z2GTNmpkT/5qqR7hx4IjWJPDhjvG'}\n}`,
  ),
  'a sign-in more': add(
    ({ services }) =>
      `forward_auth ${services.signIn} {\n\turi /verify\n\tcopy_headers Remote-User\n}`,
  ),
  'another code of a redirect': inPart(/(?<=redir \S+ \S+)(?: 301)?$/m, (found) =>
    found ? ' 302' : ' 308',
  ),
  'another target': inPart(/(?<=redir \S+ )\S+/, (found) => `${found}/there`),
  'another code': inPart(/(?<= )(?:403|404|405|410|418|503)$/m, () => '451'),
  'another upstream': inPart(
    /(?<=reverse_proxy (?:@\w+ )?)127\.0\.0\.1:\d+(?= \{|\n|$)/,
    otherUpstream,
  ),
  // At all sites that have the pool: by the upstream that answers, the judge knows only the pool.
  'an upstream of the pool less': ({ sites }) => {
    let changed = false;
    for (const site of sites) {
      site.parts = site.parts.map((part) =>
        part.replace(/(?<=127\.0\.0\.1:\d+) 127\.0\.0\.1:\d+/, () => {
          changed = true;
          return '';
        }),
      );
    }
    return changed;
  },
  'another policy of the pool': inPart(/lb_policy random/, () => 'lb_policy round_robin'),
  'another root': inPart(/root \* \S+/, (_, { services }) => `root * ${services.roots[1]}`),
  'another order of parts': inSite((site, stuff) => {
    shuffle(site.parts, stuff);
    return true;
  }),
  'another order of sites': ({ sites }, stuff) => {
    shuffle(sites, stuff);
    return true;
  },
  'a comment': inSite((site) => {
    site.parts.unshift('# respond 403', '');
    return true;
  }),
  'headers only': add(() => 'header {\n\tX-Content-Type-Options nosniff\n\t-Server\n}'),
  'a header to the upstream': inPart(/header_up X-From \S+/, () => 'header_up X-From elsewhere'),
  'by HTTPS or not': inSite((site) => {
    site.tls = !site.tls;
    return true;
  }),
  'on its own port or not': inSite((site) => {
    if (site.name.startsWith('*')) return false;
    site.isApart = !site.isApart;
    return true;
  }),
  'a site less': ({ sites }, { random }) => {
    sites.splice(random.below(sites.length), 1);
    return true;
  },
  'a site more': ({ sites }, stuff) => {
    sites.push({ name: NAMES[6] ?? '', tls: true, isApart: false, parts: [pickOf(LAST, stuff)] });
    return true;
  },
  'another name': inSite((site) => {
    if (site.name.startsWith('*')) return false;
    // On another port than the wildcard, Caddy may redirect to either.
    site.name = site.isApart ? 'new.example' : 'one.wild.example';
    return true;
  }),
  'a site for any name': ({ sites }, stuff) => {
    sites.push({
      name: '',
      tls: stuff.random.below(2) === 0,
      isApart: false,
      parts: [pickOf(LAST, stuff)],
    });
    return true;
  },
  'a part for those at home': add(
    (stuff) => `@inside remote_ip ${homeOf(stuff.addresses)}\nredir @inside /inside`,
  ),
  'another header': inPart(/X-Api-Version [2*]/, () => 'X-Api-Version 3'),
  'another try': inPart(/try_files \{path\}/, () => 'try_files /only-one.txt'),
  'another pattern': inPart(/\(v\\d\)/, () => '(v1)'),
  'by both HTTP and HTTPS': inSite((site) => {
    if (site.isApart) return false;
    site.tls = true;
    site.isBoth = true;
    return true;
  }),
  nothing: () => true,
};
