/** The settings of a hub that are about a sign-in service. */
import { expect, test } from 'bun:test';
import { readOidc } from '../../../src/features/sign-in/settings.ts';
import { createReader } from '../../../src/program/settings-reader.ts';

const OIDC = { OIDC_ISSUER: 'https://id.example/realms/home/', OIDC_CLIENT_ID: 'box' };

const read = (env: Record<string, string>) =>
  readOidc(createReader(env, 'all', '/srv/box', () => 'abcdefghij'));

test('a sign-in service is none by default, may be on this machine, and has a name', () => {
  expect(read({})).toBeNull();
  expect(read({ ...OIDC, OIDC_CLIENT_SECRET_FILE: '/etc/cut' })).toEqual({
    issuer: OIDC.OIDC_ISSUER,
    clientId: 'box',
    clientSecret: 'abcdefghij',
    name: 'id.example',
  });
  const here = { OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_ID: 'x', OIDC_NAME: 'Home' };
  expect(read(here)).toMatchObject({ name: 'Home', clientSecret: null });
});
