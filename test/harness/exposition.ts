/** A strict reader of Prometheus' text format 0.0.4, after its published grammar. */

type Exposition = Map<
  string,
  { type: string; help: string; samples: { name: string; labels: string; value: number }[] }
>;

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\[\\\\"n])*"';
const HELP = new RegExp(`^# HELP (${NAME}) (.+)$`);
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram)$`);
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)\\})? (\\S+)$`);

/** @throws Error at the first invalid line */
export function readExposition(text: string): Exposition {
  if (!text.endsWith('\n')) throw new Error('the last line has no line end');
  const families: Exposition = new Map();
  const seen = new Set<string>();
  let family = '';
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '') continue;
    const fail = (why: string) => new Error(`${why}: ${line}`);
    const [, helped, help = ''] = HELP.exec(line) ?? [];
    if (helped !== undefined) {
      if (families.has(helped)) throw fail('a second family of this name');
      family = helped;
      families.set(family, { type: '', help, samples: [] });
      continue;
    }
    const known = families.get(family);
    if (!known) throw fail('no family before');
    const [, typed, type = ''] = TYPE.exec(line) ?? [];
    if (typed !== undefined) {
      if (typed !== family || known.type !== '') throw fail('a misplaced type');
      known.type = type;
      continue;
    }
    const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
    if (name === '') throw fail('not a valid line');
    const of = known.type === 'histogram' ? name.replace(/_(bucket|sum|count)$/, '') : name;
    if (of !== family || known.type === '') throw fail('a misplaced sample');
    if (seen.has(`${name}{${labels}}`)) throw fail('a repeated sample');
    seen.add(`${name}{${labels}}`);
    if (!/^[-+]?(\d+(\.\d+)?([eE][-+]?\d+)?|Inf)$/.test(value)) throw fail('not a number');
    known.samples.push({ name, labels, value: Number(value) });
  }
  for (const [name, { type, samples }] of families) {
    if (type === 'counter' && !name.endsWith('_total'))
      throw new Error(`${name} is a counter and must end in _total`);
    if (type === 'histogram') assertHistogram(name, samples);
  }
  return families;
}

/** Buckets never shrink, and the last one equals the count. */
function assertHistogram(name: string, samples: { name: string; labels: string; value: number }[]) {
  const last = new Map<string, number>();
  for (const { name: each, labels, value } of samples) {
    const key = labels.replace(/,?le="[^"]*",?/, '');
    if (each.endsWith('_bucket')) {
      if (value < (last.get(key) ?? 0)) throw new Error(`${name}: a bucket shrinks`);
      last.set(key, value);
    } else if (each.endsWith('_count') && value !== (last.get(key) ?? 0)) {
      throw new Error(`${name}: +Inf is not the count`);
    }
  }
}

/** The value of the only sample with all of `labels`, in any order; undefined if there is none. */
export function sampleOf(families: Exposition, name: string, ...labels: string[]) {
  const all = [...families.values()].flatMap(({ samples }) => samples);
  const found = all.filter(
    (one) => one.name === name && labels.every((label) => one.labels.split(',').includes(label)),
  );
  if (found.length > 1) throw new Error(`${name} is ambiguous`);
  return found[0]?.value;
}
