/** `headers`: tells browsers to be careful. */
import { t } from 'elysia';
import { defineRecipe } from '../define.ts';
import { flag } from '../fields.ts';
import { quoted } from '../quote.ts';

/** Seconds: what the preload list asks for, and common otherwise. */
const YEAR = 31_536_000;

const value = (title: string, description: string) =>
  t.Optional(
    t.String({ title, description, format: 'header-value', minLength: 1, maxLength: 4_000 }),
  );

export const headers = defineRecipe({
  id: 'headers',
  kind: 'policy',
  title: 'Security headers',
  description:
    'Sets headers by which browsers protect visitors; they replace those of the upstream.',
  fields: t.Object(
    {
      hsts: flag(
        {
          title: 'HTTPS only',
          description:
            'Strict-Transport-Security for a year: browsers that were here once do not use HTTP any more, nor accept an invalid certificate',
        },
        true,
      ),
      hstsSubdomains: flag({
        title: 'HTTPS only, with subdomains',
        description: 'also for every host below this one, served by signalbox or not',
      }),
      hstsPreload: flag({
        title: 'HTTPS only, in browsers’ lists',
        description:
          'allows browsers to build it in, with subdomains; it takes months to leave their lists',
      }),
      frame: t.Optional(
        t.UnionEnum(['sameorigin', 'deny', 'allow'], {
          title: 'In frames',
          description: 'which pages may show this site in a frame: its own, none, or all',
          default: 'sameorigin',
        }),
      ),
      nosniff: flag(
        { title: 'No sniffing', description: 'browsers do not guess what a file is' },
        true,
      ),
      referrer: t.Optional(
        t.UnionEnum(['strict-origin-when-cross-origin', 'same-origin', 'no-referrer'], {
          title: 'Referrer',
          description: 'what other sites learn of the page with the link',
          default: 'strict-origin-when-cross-origin',
        }),
      ),
      contentSecurityPolicy: value(
        'Content security policy',
        'the header Content-Security-Policy; the wrong one breaks a site',
      ),
      permissions: value('Permissions', 'the header Permissions-Policy, such as camera=()'),
      noindex: flag({ title: 'No search engines', description: 'X-Robots-Tag: noindex, nofollow' }),
    },
    { additionalProperties: false },
  ),
  needs: {},
  example: { frame: 'deny', referrer: 'same-origin' },
  write(values) {
    const { hsts = true, hstsSubdomains, hstsPreload, nosniff = true, noindex } = values;
    const { frame = 'sameorigin', referrer = 'strict-origin-when-cross-origin' } = values;
    const lasting = [
      `max-age=${YEAR}`,
      ...(hstsSubdomains || hstsPreload ? ['includeSubDomains'] : []),
      ...(hstsPreload ? ['preload'] : []),
    ].join('; ');
    const wanted: [name: string, value: string | false | undefined, field: string][] = [
      ['Strict-Transport-Security', hsts && lasting, 'hsts'],
      ['X-Frame-Options', frame !== 'allow' && frame.toUpperCase(), 'frame'],
      ['X-Content-Type-Options', nosniff && 'nosniff', 'nosniff'],
      ['Referrer-Policy', referrer, 'referrer'],
      ['Content-Security-Policy', values.contentSecurityPolicy, 'contentSecurityPolicy'],
      ['Permissions-Policy', values.permissions, 'permissions'],
      ['X-Robots-Tag', noindex && 'noindex, nofollow', 'noindex'],
    ];
    const lines = wanted.flatMap(([name, value, field]) =>
      value ? [{ text: `\t${name} ${quoted(value)}`, field }] : [],
    );
    // Deferred: set when the upstream has answered, so that its own do not stand beside them.
    return lines.length === 0 ? [] : ['header {', '\tdefer', ...lines, '}'];
  },
});
