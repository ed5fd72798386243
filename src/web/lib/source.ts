/** What keeps sites and policies as they are, besides people: a file, or the containers on a proxy's machine. Pure. */

/** The name of an agent's containers begins with it. */
const CONTAINERS = 'containers/';

export const isOfContainers = (source: string): boolean => source.startsWith(CONTAINERS);

/** `home`, or `the containers on nas`. */
export const keeperOf = (source: string): string =>
  isOfContainers(source) ? `the containers on ${source.slice(CONTAINERS.length)}` : source;

/** What undoes changes by hand. */
export const nextOf = (source: string): string =>
  isOfContainers(source) ? 'their next start or change of labels' : 'its next apply';
