/** `/vhosts/strips`: how each vhost was in the last day or month, in bars, for a list. */
import { Elysia, t } from 'elysia';
import { integer } from '../../shared/integer.ts';
import { memoize } from '../../shared/memoize.ts';
import type { Guard } from '../auth/guard.ts';
import { isNamedBy, sharedJson } from '../http/responses.ts';
import { route } from '../http/route.ts';
import { Timestamp } from '../http/schemas.ts';
import { BARS, type Span, type Strips } from '../watch/strips.ts';

const Name = t.Union([t.Literal('day'), t.Literal('month')], {
  description:
    '`day`: the last 24 hours, in bars of 24 minutes; `month`: the last 30 days, in bars of 12 hours.',
});

export const VhostStrips = t.Object(
  {
    span: Name,
    from: Timestamp,
    to: t.String({ description: 'ISO 8601; the last bar is not over' }),
    bars: integer({ description: `how many there are: ${BARS}` }),
    strips: t.Array(
      t.Object({
        id: integer(),
        bars: t.String({
          description:
            'a letter for each bar, oldest first. `f`: at least one of 20 requests was answered by a 5xx, or one of 20 checks failed; `u`: others were answered; `n`: no requests; `o`: off, or not there yet; `?`: not known. A bar of 24 minutes takes the checks of the hour that its middle is in',
        }),
        changes: t.Array(integer(), { description: 'the bars, from 0, in which it was changed' }),
      }),
    ),
  },
  { title: 'VhostStrips' },
);

export function vhostStripRoutes({
  guard,
  strips,
}: {
  guard: Guard;
  strips: (span: Span) => Promise<Strips>;
}) {
  return new Elysia({ name: 'vhost-strips', prefix: '/vhosts' }).use(guard).get(
    '/strips',
    async ({ query, request, set }) => {
      const { tag, answer } = shared(await strips(query.span ?? 'day'));
      set.headers.ETag = tag;
      return isNamedBy(request, tag) ? new Response(null, { status: 304 }) : answer(request);
    },
    route({
      id: 'listVhostStrips',
      tag: 'Vhosts',
      summary: 'How all vhosts were in the last day or month, in 60 bars each',
      description:
        'By the access log of all agents together, the checks and the changelog, at most a minute old. While an agent does not answer, bars of its vhosts are not known.',
      access: 'read',
      query: t.Object({ span: t.Optional(Name) }),
      asks: 'agent',
      returns: VhostStrips,
      requestHeaders: ['If-None-Match'],
      responseHeaders: ['ETag'],
      example: {
        span: 'day',
        from: '2026-11-20T00:00:00.000Z',
        to: '2026-11-21T00:00:00.000Z',
        bars: BARS,
        strips: [{ id: 1, bars: 'ffu'.padStart(BARS, 'n'), changes: [58] }],
      },
    }),
  );
}

/** Made once, whoever asks. */
const shared = memoize((strips: Strips) => {
  const text = JSON.stringify(strips);
  return { tag: `W/"${Bun.hash(text).toString(36)}"`, answer: sharedJson(text) };
});
