/** The head of a site's page: its name, how it is in words, and what can be done with it. */
import { useState } from 'preact/hooks';
import { wordsOf } from '../lib/api.ts';
import { linkTo } from '../lib/link.ts';
import { toggle } from '../lib/relabel.ts';
import { useCan } from '../lib/roles.ts';
import type { SiteState, Vhost, VhostStrips } from '../lib/types.ts';
import { useSubmit } from '../lib/use-form.ts';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { Notice } from '../parts/notice.tsx';
import { Segments } from '../parts/segments.tsx';
import { SiteIcon } from '../parts/site-icon.tsx';
import { SPANS, Strip, useStrips } from '../parts/strip.tsx';
import { endingNow } from '../parts/strip-words.ts';
import { ClockTime } from '../parts/time.tsx';
import { DeleteSite } from './form/delete-site.tsx';
import { SiteLabels, withBreaks } from './labels.tsx';
import type { Health } from './problem.ts';

type Props = {
  site: Vhost;
  /** Undefined until it is known. */
  state: SiteState | undefined;
  health: Health;
  /** Since when it has a problem, if it has. */
  since: string | undefined;
  /** Its form is shown, which is the place for changes then. */
  isEdited: boolean;
  onChanged: () => Promise<unknown>;
};

export function SiteHead({ site, state, health, since, isEdited, onChanged }: Props) {
  const canEdit = useCan('editor');
  const [isDeleting, setDeleting] = useState(false);
  const turn = useSubmit(async () => {
    await toggle(site);
    await onChanged();
  });
  const [scheme, name] = splitScheme(site.domain);
  const link = state?.addresses.map(linkTo).find((one) => one !== null);
  const changes = [
    { title: site.enabled ? 'Turn off' : 'Turn on', act: turn.run },
    { title: 'Delete …', act: () => setDeleting(true), isDanger: true },
  ];
  return (
    <>
      <header class="site-head">
        <SiteIcon site={site} size={40} />
        <div>
          <h1>
            {scheme && <span class="scheme">{scheme}</span>}
            {withBreaks(name)}
          </h1>
          <div class="row small">
            <span class={`health-${health.level}`}>
              <Icon name={health.level} /> {health.label}
              {since && (
                <>
                  {' '}
                  since <ClockTime at={since} />
                </>
              )}
            </span>
            <SiteLabels site={site} />
          </div>
        </div>
        <SiteStrip id={site.id} isFailing={health.level === 'bad'} />
        <div class="line">
          {link && (
            <a
              class="button"
              href={link}
              target="_blank"
              rel="noreferrer"
              aria-label="Open"
              title={link}
            >
              <span>Open</span> <Icon name="open" />
            </a>
          )}
          {canEdit && (
            <Menu
              label={`Actions of ${site.domain}`}
              items={[
                { title: 'Copy', to: `/sites/new?from=${site.id}` },
                ...(isEdited ? [] : changes),
              ]}
            />
          )}
        </div>
      </header>
      {turn.error !== null && <Notice kind="error">{wordsOf(turn.error)}</Notice>}
      {isDeleting && <DeleteSite site={site} onClose={() => setDeleting(false)} />}
    </>
  );
}

function SiteStrip({ id, isFailing }: { id: number; isFailing: boolean }) {
  const [span, setSpan] = useState<VhostStrips['span']>('day');
  const strip = useStrips(span).get(id);
  return (
    <div class="site-strip line">
      <div>{strip && <Strip {...endingNow(strip, isFailing)} />}</div>
      <Segments label="Time shown" class="tiny" options={SPANS} chosen={span} onChoose={setSpan} />
    </div>
  );
}

/** `http://` and the rest; the first is empty without a scheme. */
const splitScheme = (domain: string): [string, string] => {
  const [scheme = ''] = /^https?:\/\//.exec(domain) ?? [];
  return [scheme, domain.slice(scheme.length)];
};
