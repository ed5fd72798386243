/** Examples that several routes have in the description of the API. */
export const PREAMBLE = '{\n\temail ada@example.org\n}';
export const SITE = {
  domain: 'app.example.org',
  config: 'reverse_proxy {upstream}',
  upstream: '127.0.0.1:8000',
};
export const PROXYFILE = 'app.example.org {\n\treverse_proxy 127.0.0.1:8000\n}\n';
