/** A browser without pages: keeps cookies by host, and follows redirects. */
export type Visitor = ReturnType<typeof createVisitor>;

/** @param stays the path at which it does not follow further redirects, such as the way back */
export function createVisitor() {
  /** By host name, as browsers do: not by port. */
  const jars = new Map<string, Map<string, string>>();
  const jarOf = (url: URL) => {
    const jar = jars.get(url.hostname) ?? new Map<string, string>();
    jars.set(url.hostname, jar);
    return jar;
  };

  async function ask(address: string, options: RequestInit = {}): Promise<Response> {
    const url = new URL(address);
    const cookie = [...jarOf(url)].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(cookie && { cookie }), ...(options.headers as Record<string, string>) };
    const response = await fetch(url, { ...options, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      if (/max-age=0|01 jan 1970/i.test(line)) jarOf(url).delete(pair.slice(0, at));
      else jarOf(url).set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }

  return {
    ask,
    cookies: (host: string) => jarOf(new URL(`http://${host}`)),
    /** Follows redirects until `isThere`, or until there are none. @returns where it ended */
    async follow(address: string, isThere: (url: URL) => boolean = () => false): Promise<URL> {
      let url = new URL(address);
      for (let hop = 0; hop < 20 && !isThere(url); hop++) {
        const response = await ask(url.href);
        await response.body?.cancel();
        const to = response.headers.get('location');
        if (to === null) return url;
        url = new URL(to, url);
      }
      return url;
    },
  };
}
