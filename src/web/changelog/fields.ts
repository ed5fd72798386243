/** The fields that a change of the changelog changed. Pure. */
import { isCheck, wordsOfCheck } from '../lib/check.ts';
import { blockIn } from '../sites/form/block.ts';

/** A field of an update; a `text` is compared line by line. */
export type FieldChange = {
  field: string;
  kind: 'text' | 'value';
  old: string;
  new: string;
  /** One of the values that a policy's recipe has: names of users, addresses and the like. */
  isOfPolicy?: true;
};

/** The fields of an update, in the hub's order; none if the diff cannot be read. */
export function fieldsOf(diff: string | null): FieldChange[] {
  const { old, new: now } = parsed(diff);
  const { values: oldValues, ...oldFields } = old;
  const { values: newValues, ...newFields } = now;
  const fields = changesOf(...withNames(oldFields, newFields)).filter(isChange);
  if (!isFields(oldValues) || !isFields(newValues)) return fields;
  const values = changesOf(oldValues, newValues)
    .filter(isChange)
    .map((value): FieldChange => ({ ...value, isOfPolicy: true }));
  // The hub shows no passwords.
  const secret: FieldChange = {
    field: 'passwords',
    kind: 'value',
    old: 'hidden',
    new: 'changed',
    isOfPolicy: true,
  };
  return [...fields, ...(values.length > 0 ? values : [secret])];
}

/** With the names of a site instead of the block that has them, if they are what was changed. */
function withNames(old: Fields, now: Fields): [Fields, Fields] {
  const blocks = [old, now].map(({ config }) => blockIn(String(config ?? '')));
  const [first] = blocks.flatMap((block) => block?.frame?.names ?? []);
  const [was, is] = [old, now].map((fields, at) => ({
    ...fields,
    names: blocks[at]?.frame?.names ?? [fields.domain ?? first],
    config: blocks[at]?.config ?? fields.config,
  }));
  const isSame = first === undefined || was?.names.join() === is?.names.join();
  return isSame || !was || !is ? [old, now] : [was, is];
}

const isChange = ({ old, new: now }: FieldChange): boolean => old !== now;

/** What people call a field. */
const NAMES: Partial<Record<string, string>> = {
  agents: 'proxies',
  except: 'policies left out',
  everywhere: 'every site',
  generation: 'token',
};

export const wordOfField = (field: string): string => NAMES[field] ?? field;

function changesOf(old: Fields, now: Fields): FieldChange[] {
  return Object.keys({ ...old, ...now }).map((field) => {
    const [before, after] = [old[field], now[field]].map((value) => meantBy(field, value));
    const texts = [valueText(before), valueText(after)] as const;
    const isText = field === 'config' || /\n/.test(texts.join(''));
    const name = wordOfField(field);
    return isText
      ? { field: name, kind: 'text', old: rawText(before), new: rawText(after) }
      : { field: name, kind: 'value', old: texts[0], new: texts[1] };
  });
}

/** A value in words that only its field gives it; else the value. */
function meantBy(field: string, value: unknown): unknown {
  if (field === 'agents' && Array.isArray(value) && value.length === 0) return 'everywhere';
  return field === 'check' && isCheck(value) ? wordsOfCheck(value) : value;
}

/** The same fields as an undo changes them. */
export const reversed = (fields: readonly FieldChange[]): FieldChange[] =>
  fields.map((change) => ({ ...change, old: change.new, new: change.old }));

type Fields = { [field: string]: unknown };

function parsed(diff: string | null): { old: Fields; new: Fields } {
  try {
    const value: unknown = JSON.parse(diff ?? 'null');
    if (isFields(value) && isFields(value.old) && isFields(value.new)) {
      return { old: value.old, new: value.new };
    }
  } catch {
    // An unreadable entry is shown without its fields.
  }
  return { old: {}, new: {} };
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** In characters: a longer list has a line for each of its items, and a longer value is not shown in a line. */
export const MAX_INLINE = 60;

/** A list of a policy or a site: its items, or the names of these; null if it is none. */
function itemsOf(value: unknown): string[] | null {
  if (!Array.isArray(value)) return null;
  return value.map((item) => {
    if (typeof item === 'string') return item;
    return isFields(item) && typeof item.name === 'string' ? item.name : JSON.stringify(item);
  });
}

const rawText = (value: unknown): string => itemsOf(value)?.join('\n') ?? String(value ?? '');

function valueText(value: unknown): string {
  const items = itemsOf(value);
  if (items) {
    const line = items.join(', ') || 'none';
    return line.length > MAX_INLINE ? items.join('\n') : line;
  }
  if (value === true) return 'on';
  if (value === false) return 'off';
  if (value === undefined || value === null || value === '') return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
