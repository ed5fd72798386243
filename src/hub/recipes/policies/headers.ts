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
    'Sets headers that make browsers protect your visitors. They replace those of the upstream.',
  fields: t.Object(
    {
      hsts: flag(
        {
          title: 'HTTPS only',
          description:
            'Strict-Transport-Security for a year: after a first visit, browsers no longer use HTTP or accept an invalid certificate',
        },
        true,
      ),
      hstsSubdomains: flag({
        title: 'HTTPS only, with subdomains',
        description: 'also for every host below this one, served by signalbox or not',
      }),
      hstsPreload: flag({
        title: 'HTTPS only, preloaded',
        description:
          'lets browsers build in this rule, including subdomains; removal from their lists takes months',
      }),
      frame: t.Optional(
        t.UnionEnum(['sameorigin', 'deny', 'allow'], {
          title: 'Frames',
          description: 'which pages may show this site in a frame: its own, none, or all',
          default: 'sameorigin',
        }),
      ),
      nosniff: flag(
        { title: 'No content sniffing', description: 'browsers do not guess the type of a file' },
        true,
      ),
      referrer: t.Optional(
        t.UnionEnum(
          ['strict-origin-when-cross-origin', 'same-origin', 'no-referrer', 'unchanged'],
          {
            title: 'Referrer',
            description:
              'how much other sites learn about the page that a visitor came from; unchanged leaves that to the upstream',
            default: 'strict-origin-when-cross-origin',
          },
        ),
      ),
      contentSecurityPolicy: value(
        'Content security policy',
        'the Content-Security-Policy header; a wrong one breaks the site',
      ),
      permissions: value('Permissions', 'the Permissions-Policy header, such as camera=()'),
      noindex: flag({
        title: 'No search engines',
        description: 'the X-Robots-Tag header: noindex, nofollow',
      }),
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
      ['Referrer-Policy', referrer !== 'unchanged' && referrer, 'referrer'],
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
