/** What the routes of accounts, sessions and tokens tell about themselves. */
import { about } from '../../http/about.ts';

const AT = '2026-11-20T18:00:00.000Z';
const LATER = '2026-11-27T18:00:00.000Z';
const TOKEN = 'Jm1vX0Zb0rXlq3yq9c4m0q7k2n8s5t1u6w3x9y2z4a8';
const USER = {
  id: '4f6e2c9b7a1d',
  name: 'Ada',
  email: 'ada@example.org',
  emailVerified: false,
  image: null,
  createdAt: AT,
  updatedAt: AT,
};
const SESSION = {
  id: '0b8d5e3f9c27',
  token: TOKEN,
  userId: USER.id,
  expiresAt: LATER,
  createdAt: AT,
  updatedAt: AT,
  ipAddress: '192.0.2.7',
  userAgent: 'curl/8.14.1',
};
const API_TOKEN = {
  id: '7c2a9d4e6f10',
  name: 'backup',
  scope: 'read',
  expiresAt: null,
  lastUsedAt: null,
  createdAt: AT,
};
const credentials = { email: USER.email, password: 'four words of yours' };
const DONE = { success: true };

export const signOut = about({
  id: 'signOut',
  tag: 'Accounts',
  summary: 'Ends the session',
  description: 'Also succeeds without one. The cookie is cleared.',
  access: 'anyone',
  answer: DONE,
  tells: ['Set-Cookie'],
});

export const getSession = about({
  id: 'getSession',
  tag: 'Accounts',
  summary: 'Tells who is signed in',
  description: 'The word `null` where nobody is.',
  access: 'anyone',
  answer: { session: SESSION, user: USER },
  nullable: true,
});

export const signUp = about({
  id: 'signUpEmail',
  tag: 'Accounts',
  summary: 'Makes an account and signs it in',
  description:
    'As `SIGN_UP` allows: with `first`, the first account, and then those a signed-in user makes.',
  access: 'anyone',
  ask: { owner: { value: { name: 'Ada', ...credentials } } },
  answer: { token: TOKEN, user: USER },
  tells: ['Set-Cookie'],
});

export const signIn = about({
  id: 'signInEmail',
  tag: 'Accounts',
  summary: 'Signs in',
  access: 'anyone',
  ask: { ada: { value: credentials } },
  answer: { redirect: false, token: TOKEN, user: USER },
  tells: ['Set-Cookie'],
});

export const changePassword = about({
  id: 'changePassword',
  tag: 'Accounts',
  summary: 'Changes the password',
  description:
    'All other sessions end; with `revokeOtherSessions` this one is replaced as well, by `token`.',
  access: 'session',
  ask: {
    change: {
      value: { currentPassword: credentials.password, newPassword: 'four words of another' },
    },
  },
  answer: { token: null, user: USER },
});

export const listSessions = about({
  id: 'listSessions',
  tag: 'Accounts',
  summary: 'Lists where you are signed in',
  access: 'session',
  answer: [
    {
      id: SESSION.id,
      current: true,
      ipAddress: SESSION.ipAddress,
      userAgent: SESSION.userAgent,
      createdAt: AT,
      updatedAt: AT,
      expiresAt: LATER,
    },
  ],
});

export const endSession = about({
  id: 'endSession',
  tag: 'Accounts',
  summary: 'Ends one of your sessions',
  access: 'session',
  params: { id: { example: SESSION.id } },
  answer: DONE,
});

export const listUsers = about({
  id: 'listUsers',
  tag: 'Accounts',
  summary: 'Lists all accounts',
  access: 'session',
  answer: [USER],
});

export const createUser = about({
  id: 'createUser',
  tag: 'Accounts',
  summary: 'Makes an account for somebody else',
  access: 'session',
  ask: { bob: { value: { name: 'Bob', email: 'bob@example.org', password: 'his passphrase' } } },
  answer: { ...USER, id: '9d3b1f7e5a42', name: 'Bob', email: 'bob@example.org' },
});

export const deleteUser = about({
  id: 'deleteUser',
  tag: 'Accounts',
  summary: 'Deletes an account with its sessions and tokens',
  access: 'session',
  params: { id: { example: USER.id } },
  answer: DONE,
});

export const listTokens = about({
  id: 'listTokens',
  tag: 'Tokens',
  summary: 'Lists your API tokens',
  access: 'session',
  answer: [API_TOKEN],
});

export const createToken = about({
  id: 'createToken',
  tag: 'Tokens',
  summary: 'Makes an API token',
  description: 'The token itself is shown in this answer alone.',
  access: 'session',
  ask: {
    reader: { summary: 'May read', value: { name: 'backup' } },
    writer: {
      summary: 'May change vhosts, for a while',
      value: { name: 'deploy', scope: 'write', expiresAt: '2027-01-01T00:00:00Z' },
    },
  },
  answer: { ...API_TOKEN, token: 'sbx_4kT9mWq2Zr7Yc1Vb8Nx5Hs3Jd6Lf0Pg0a1b2c' },
});

export const deleteToken = about({
  id: 'deleteToken',
  tag: 'Tokens',
  summary: 'Takes an API token back',
  access: 'session',
  params: { id: { example: API_TOKEN.id } },
  answer: DONE,
});
