/** What the routes of the changelog tell about themselves. */
import { about, INTEGER_ID } from '../http/about.ts';

export const listChangelog = about({
  id: 'listChangelog',
  tag: 'Changelog',
  summary: 'Lists accepted changes, newest first, a hundred a page',
  access: 'read',
  params: {
    before: { description: 'Only entries with a smaller id: the next page.', example: '101' },
    domain: { description: 'Only entries of this domain.', example: 'app.example.org' },
  },
  answer: [
    {
      id: 2,
      userId: '4f6e2c9b7a1d',
      userName: 'Ada',
      action: 'update',
      domain: 'app.example.org',
      diff: '{"old":{"upstream":"127.0.0.1:8000"},"new":{"upstream":"127.0.0.1:8001"}}',
      createdAt: '2026-11-20T19:00:00.000Z',
      via: null,
    },
  ],
});

export const revertChangelogEntry = about({
  id: 'revertChangelogEntry',
  tag: 'Changelog',
  summary: 'Takes one change back, as a change of its own',
  access: 'write',
  params: INTEGER_ID,
  answer: { success: true },
});
