/** What a viewer sees of a moment: the sites, and whether they were on. */
import { get } from '../../../web/lib/api.ts';
import { plural } from '../../../web/lib/format.ts';
import type { Vhost } from '../../../web/lib/types.ts';
import { useLoad } from '../../../web/lib/use-load.ts';
import { Notice } from '../../../web/parts/notice.tsx';
import type { Moment } from '../schemas.ts';
import { settled } from './settled.ts';

export function States({ at, site }: { at: string; site?: Vhost | undefined }) {
  const { data, error } = useLoad(at, async (signal) => {
    await settled(signal);
    return get<Moment>(`/history?at=${encodeURIComponent(at)}`, signal);
  });
  if (error) return <Notice kind="error" title={error} />;
  if (!data) return null;
  if (site) {
    const then = data.sites.find(({ id }) => id === site.id);
    return <div role="status">{then ? wordsOf(then) : `${site.domain} was not there.`}</div>;
  }
  const off = data.sites.filter(({ enabled }) => !enabled).length;
  return (
    <details class="small">
      <summary>
        {plural(data.sites.length, 'site')}
        {off > 0 && `, ${off} off`}
      </summary>
      <ul class="lines plain">
        {data.sites.map((one) => (
          <li key={one.id}>{wordsOf(one)}</li>
        ))}
      </ul>
    </details>
  );
}

const wordsOf = ({ domain, enabled }: Moment['sites'][number]): string =>
  `${domain} was ${enabled ? 'on' : 'off'}.`;
