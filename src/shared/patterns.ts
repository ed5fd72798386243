/** What texts may look like. Nothing but constants without imports: the dashboard uses them as well. */

// Days by month; 29 February is accepted in every year.
const DATE =
  '[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))';
const CLOCK = '([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.,][0-9]{1,9})?)?';
// An unencoded plus arrives as a space.
const ZONE = '(Z|[+ -]([01][0-9]|2[0-3]):?[0-5][0-9])';

/** ISO 8601: a date, which means midnight, or date and time; UTC unless it has a zone. */
const TIME = { pattern: `^(${DATE}(T${CLOCK}${ZONE}?)?)?$` };

/** The filters of a log, as they are in a URL; an empty text counts as missing. */
export const LOG_FILTERS = {
  domain: { maxLength: 2000 },
  status: { pattern: '^([0-9]{1,3}|[1-5][xX]{2})?$' },
  method: { pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{0,32}$" },
  path: { maxLength: 8192 },
  q: { maxLength: 1024 },
  ip: { pattern: '^\\[?[0-9A-Za-z:.%_-]{0,64}\\]?$' },
  userAgent: { maxLength: 1024 },
  from: TIME,
  to: TIME,
};
