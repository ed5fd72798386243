/** What the routes of preamble, preview, import and export tell about themselves. */
import { about } from '../http/about.ts';

const PREAMBLE = { config: '{\n\temail ada@example.org\n}', updatedAt: '2026-11-20T18:00:00.000Z' };
const SITE = {
  domain: 'app.example.org',
  config: 'reverse_proxy {upstream}',
  upstream: '127.0.0.1:8000',
};
const PROXYFILE = 'app.example.org {\n\treverse_proxy 127.0.0.1:8000\n}\n';
const SNAPSHOT = {
  version: 1,
  preamble: PREAMBLE.config,
  vhosts: [{ ...SITE, enabled: true }],
};
const REPLACE = {
  replace: {
    description: 'With `true`, sites that somebody else wrote may be replaced.',
  },
};

export const getPreamble = about({
  id: 'getPreamble',
  tag: 'Configuration',
  summary: 'Shows what stands before the sites: global options and snippets',
  access: 'read',
  answer: PREAMBLE,
});

export const updatePreamble = about({
  id: 'updatePreamble',
  tag: 'Configuration',
  summary: 'Changes the preamble and publishes it',
  access: 'write',
  params: REPLACE,
  ask: { email: { value: { config: PREAMBLE.config } } },
  answer: PREAMBLE,
});

export const getProxyfile = about({
  id: 'getProxyfile',
  tag: 'Configuration',
  summary: 'Shows the Caddyfile that is published',
  access: 'read',
  params: { vhost: { description: 'Only the block of the vhost with this id.', example: '1' } },
  answer: PROXYFILE,
});

export const exportConfiguration = about({
  id: 'exportConfiguration',
  tag: 'Configuration',
  summary: 'Preamble and vhosts as one document',
  description: 'Accounts and history are not part of it.',
  access: 'read',
  answer: SNAPSHOT,
});

export const restoreConfiguration = about({
  id: 'restoreConfiguration',
  tag: 'Configuration',
  summary: 'Makes an exported document the whole configuration',
  access: 'write',
  params: {
    replace: { description: 'With `true`, what is there goes; else only an empty hub takes one.' },
  },
  ask: { exported: { value: SNAPSHOT } },
  answer: SNAPSHOT,
});

export const preview = about({
  id: 'preview',
  tag: 'Configuration',
  summary: 'Tells whether the proxy would take a change, and what it would be',
  description: 'Nothing is changed. `diff` is as `diff -u` prints it.',
  access: 'write',
  ask: {
    create: { value: { op: 'create', ...SITE } },
    preamble: { value: { op: 'preamble', config: PREAMBLE.config } },
  },
  answer: {
    valid: false,
    detail: 'line 1: unrecognized directive: reverse_prox',
    line: 1,
    proxyfile: PROXYFILE,
    diff: '',
  },
});

export const importProxyfile = about({
  id: 'importProxyfile',
  tag: 'Configuration',
  summary: 'Makes preamble and vhosts of a Caddyfile',
  description: 'In one publish, all or nothing; refused unless it means the same as before.',
  access: 'write',
  ask: { dry: { summary: 'Only look', value: { proxyfile: PROXYFILE, dryRun: true } } },
  answer: {
    preamble: '',
    vhosts: [{ id: null, ...SITE, config: 'reverse_proxy 127.0.0.1:8000', upstream: '' }],
    skipped: [],
    proxyfile: PROXYFILE,
  },
});
