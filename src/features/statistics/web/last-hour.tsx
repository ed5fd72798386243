/** On the overview: how the last hour was, if there was a request. */
import type { OverviewSection } from '../../../web/feature.ts';
import { Notice, WithoutRequests } from '../../../web/parts/notice.tsx';
import { HourBars, SPAN } from './hour-bars.tsx';
import { HourTiles } from './hour-tiles.tsx';
import { useFigures } from './hours.ts';

export const LastHour: OverviewSection = ({ entries }) => {
  const { data, error } = useFigures({ domain: '', ...SPAN });
  if (error && !data) return <Notice kind="error" title={error} />;
  return (
    <>
      {error && <Notice kind="error" title={error} />}
      <HourTiles hours={data?.hours} domain="" />
      <WithoutRequests from={data?.plot.missing} />
      {data?.plot.requests !== 0 && <HourBars stats={data?.plot} entries={entries} />}
    </>
  );
};
