/** What the routes of vhosts tell about themselves. */
import { about, INTEGER_ID } from '../http/about.ts';

const VHOST = {
  id: 1,
  domain: 'app.example.org',
  config: 'reverse_proxy {upstream}',
  enabled: true,
  upstream: '127.0.0.1:8000',
  createdAt: '2026-11-20T18:00:00.000Z',
  updatedAt: '2026-11-20T18:00:00.000Z',
};
const NEW = {
  domain: VHOST.domain,
  config: VHOST.config,
  upstream: VHOST.upstream,
};
const REPLACE = {
  replace: {
    description: 'With `true`, the first change may replace sites that somebody else wrote.',
  },
};
const ONE = { ...INTEGER_ID, ...REPLACE };

export const listVhosts = about({
  id: 'listVhosts',
  tag: 'Vhosts',
  summary: 'Lists all vhosts by domain',
  access: 'read',
  answer: [VHOST],
});

export const getVhost = about({
  id: 'getVhost',
  tag: 'Vhosts',
  summary: 'Shows one vhost',
  access: 'read',
  params: INTEGER_ID,
  answer: VHOST,
  tells: ['ETag'],
});

export const createVhost = about({
  id: 'createVhost',
  tag: 'Vhosts',
  summary: 'Makes a vhost and publishes it',
  description: [
    'It is live before the answer arrives. `config` is the body of a site block, which is put into',
    'a block for `domain`, or a whole block whose addresses begin with `domain`; `{upstream}` in it',
    'stands for the field of that name.',
  ].join('\n'),
  access: 'write',
  params: REPLACE,
  ask: {
    body: { summary: 'The body of a site block', value: NEW },
    block: {
      summary: 'A whole block',
      value: {
        domain: 'www.example.org',
        config: 'www.example.org, example.org {\n\troot * /srv/www\n\tfile_server\n}',
      },
    },
  },
  answer: VHOST,
  tells: ['ETag'],
});

export const updateVhost = about({
  id: 'updateVhost',
  tag: 'Vhosts',
  summary: 'Changes any fields of a vhost',
  description: 'Where nothing would change, nothing is published or recorded.',
  access: 'write',
  params: ONE,
  headers: ['If-Match'],
  ask: { upstream: { value: { upstream: '127.0.0.1:8001' } } },
  answer: { ...VHOST, upstream: '127.0.0.1:8001', updatedAt: '2026-11-20T19:00:00.000Z' },
  tells: ['ETag'],
});

export const deleteVhost = about({
  id: 'deleteVhost',
  tag: 'Vhosts',
  summary: 'Deletes a vhost',
  access: 'write',
  params: ONE,
  headers: ['If-Match'],
  answer: { success: true },
});

export const toggleVhost = about({
  id: 'toggleVhost',
  tag: 'Vhosts',
  summary: 'Turns a vhost off or on',
  access: 'write',
  params: ONE,
  headers: ['If-Match'],
  answer: { ...VHOST, enabled: false, updatedAt: '2026-11-20T19:00:00.000Z' },
  tells: ['ETag'],
});

export const bulkVhosts = about({
  id: 'bulkVhosts',
  tag: 'Vhosts',
  summary: 'Makes several changes in one publish, all or nothing',
  access: 'write',
  params: REPLACE,
  ask: {
    several: {
      value: {
        operations: [
          { op: 'create', ...NEW },
          { op: 'toggle', id: 2 },
          { op: 'delete', id: 3 },
        ],
      },
    },
  },
  answer: { results: [VHOST, { ...VHOST, id: 2, domain: 'b.example.org' }, { success: true }] },
});
