/** Every error code of the two interfaces, and the failures that carry them. */
import { FEATURE_FAILURES } from '../features/failures.ts';
import { messageOf } from './async.ts';
import type { Role } from './roles.ts';

/** The HTTP status of each code, and its meaning in the documentation. */
export const FAILURES = {
  INVALID_JSON: { status: 400, meaning: 'The body is not valid JSON.' },
  INVALID_REQUEST: {
    status: 400,
    meaning: 'A field, a parameter or the Host header is missing or malformed.',
  },
  VALIDATION_ERROR: { status: 400, meaning: 'A field is missing or malformed.' },
  INVALID_EMAIL: { status: 400, meaning: 'The email address is not valid.' },
  INVALID_PASSWORD: { status: 400, meaning: 'The current password is wrong.' },
  PASSWORD_TOO_SHORT: { status: 400, meaning: 'A password needs at least 8 characters.' },
  PASSWORD_TOO_LONG: { status: 400, meaning: 'A password has at most 128 characters.' },
  PASSWORD_TOO_COMMON: { status: 400, meaning: 'The password is too common.' },
  UNAUTHENTICATED: { status: 401, meaning: 'There is no session or token, or it has expired.' },
  INVALID_EMAIL_OR_PASSWORD: { status: 401, meaning: 'The email address or password is wrong.' },
  AUTHENTICATION_FAILED: { status: 401, meaning: 'The passkey was not accepted.' },
  PASSKEY_NOT_FOUND: { status: 401, meaning: 'The hub does not know the passkey.' },
  INVALID_CODE: { status: 401, meaning: 'The code is wrong, or was used before.' },
  INVALID_BACKUP_CODE: { status: 401, meaning: 'The recovery code is wrong, or was used.' },
  INVITATION_INVALID: {
    status: 401,
    meaning: 'The invitation is wrong, used or expired: ask for another one.',
  },
  FORBIDDEN: {
    status: 403,
    meaning: 'The API token is read-only, or the route needs a session.',
  },
  FORBIDDEN_ORIGIN: {
    status: 403,
    meaning: 'The request comes from another website, or names a host that is not the hub’s.',
  },
  FORBIDDEN_ROLE: { status: 403, meaning: 'The account’s role does not suffice; needs names it.' },
  SESSION_NOT_FRESH: {
    status: 403,
    meaning: 'The session’s last proof is over an hour old: prove who you are again.',
  },
  SIGN_UP_CLOSED: { status: 403, meaning: 'This hub does not accept new accounts.' },
  SETUP_CODE_REQUIRED: {
    status: 403,
    meaning: 'The first account needs the setup code that the hub printed when it started.',
  },
  NOT_FOUND: { status: 404, meaning: 'No such resource.' },
  BODY_TOO_SLOW: { status: 408, meaning: 'The body took too long to arrive.' },
  DOMAIN_TAKEN: { status: 409, meaning: 'Another vhost already has this domain.' },
  POLICY_TAKEN: { status: 409, meaning: 'Another policy already has this name.' },
  POLICY_IN_USE: { status: 409, meaning: 'The policy is in use; detail names its vhosts.' },
  CERTIFICATE_TAKEN: { status: 409, meaning: 'Another kept certificate already has this name.' },
  CERTIFICATE_IN_USE: {
    status: 409,
    meaning: 'Sites are served with the certificate; detail names them. `force=true` deletes it.',
  },
  AGENT_TAKEN: { status: 409, meaning: 'Another agent already has this name.' },
  AGENT_IN_USE: {
    status: 409,
    meaning: 'The agent cannot be removed: some vhosts run only on it, or AGENT_URL names it.',
  },
  PORT_UNAVAILABLE: {
    status: 409,
    meaning: 'Another program holds the port, or the proxy’s user may not open it.',
  },
  LAST_OWNER: {
    status: 409,
    meaning: 'The last owner can neither be deleted nor be given another role.',
  },
  LAST_USER: { status: 409, meaning: 'The last account cannot be deleted.' },
  IMPORT_FIRST: {
    status: 409,
    meaning:
      'The proxy serves sites that this hub did not publish: import them, or repeat the request with replace=true.',
  },
  OTHER_HUB: {
    status: 409,
    meaning:
      'Another hub publishes to this proxy: switch one of them off, or repeat the request with replace=true.',
  },
  OTHER_PROTOCOL: {
    status: 409,
    meaning:
      'Hub and agent have incompatible versions: install the same version of signalbox on both.',
  },
  CHANGED_SINCE: {
    status: 409,
    meaning: 'Later changes prevent a group of changes from being undone; detail names them.',
  },
  REVERT_CONFLICT: { status: 409, meaning: 'Later changes prevent a change from being undone.' },
  NOT_EMPTY: { status: 409, meaning: 'The hub already has vhosts: repeat with replace=true.' },
  STALE: {
    status: 412,
    meaning:
      'Something has changed since the plan was made. An agent answers 409: the live configuration is another one.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    meaning:
      'The vhost, policy or preamble is no longer in the state that `If-Match` or `expects` names.',
  },
  BODY_TOO_LARGE: { status: 413, meaning: 'The body exceeds this route’s limit.' },
  KEY_REUSED: {
    status: 422,
    meaning:
      'Within the last 24 hours, the Idempotency-Key was used for another request, or for this one, whose response was too large to keep.',
  },
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: {
    status: 422,
    meaning: 'An account with this email address already exists.',
  },
  ACCOUNT_TEMPORARILY_LOCKED: {
    status: 429,
    meaning: 'After ten wrong codes in a row, the account accepts none for 15 minutes.',
  },
  RATE_LIMITED: {
    status: 429,
    meaning:
      'Too many attempts, live streams, trials, replays or explanations; Retry-After says when to try again.',
  },
  INTERNAL: { status: 500, meaning: 'Internal error; see the hub’s log.' },
  PROXY_REJECTED: {
    status: 502,
    meaning: 'The proxy does not accept this configuration; nothing was recorded.',
  },
  PROXY_UNREACHABLE: { status: 502, meaning: 'The proxy does not answer; nothing was recorded.' },
  AGENT_UNREACHABLE: {
    status: 502,
    meaning:
      'The agent did not answer, its response was invalid, or it cannot read the access log; nothing was recorded, and the hub publishes the stored state again.',
  },
  CHECK_FAILED: {
    status: 502,
    meaning:
      'The site does not answer as its check requires; detail describes the response. Nothing was recorded.',
  },
  PROGRAM_REFUSED: {
    status: 502,
    meaning:
      'The program at PROXY_BIN would not serve all sites as the one that runs, which keeps running; detail says where.',
  },
  STOPPING: {
    status: 503,
    meaning: 'The hub is stopping, and the change was not live yet; nothing was changed.',
  },
  DATABASE_UNUSABLE: {
    status: 503,
    meaning:
      'The database is damaged or cannot be opened; see the hub’s log. Your sites are still being served.',
  },
  SECRET_KEY_UNUSABLE: {
    status: 503,
    meaning:
      'The file `DATA_DIR/secret-key` is missing, damaged or that of another database, so that stored secrets cannot be read; the message says what to do.',
  },
  STORAGE_UNAVAILABLE: {
    status: 507,
    meaning: 'The disk is full or not writable; nothing was recorded.',
  },
  ...FEATURE_FAILURES,
} as const;

export type FailureCode = keyof typeof FAILURES;

/** What a failure is about, as data; `sentenceOf` is the only place that puts it into words. */
export type Location = Readonly<{
  /** Which of a list of operations, from 1. */
  operation?: number | undefined;
  /** A vhost other than the one the caller asked about, or one of several; `line` of its config. */
  vhost?: { id: number | null; domain: string; line?: number | undefined } | undefined;
  /** The only vhost that the caller changed: no sentence names it. */
  own?: { id: number | null; domain: string } | undefined;
  /** A policy of that vhost, and the field of its values that made the text at fault. */
  policy?: { name: string; field?: string | undefined } | undefined;
  /** The preamble; `line` of its text. */
  preamble?: { line?: number | undefined } | undefined;
  /** The name of the agent whose proxy refused it, if the hub has several. */
  agent?: string | undefined;
  /** The field of the request. */
  field?: string | undefined;
  /** The line, from 1, of the text that the caller sent. */
  line?: number | undefined;
}>;

export type FailureExtra = {
  /** The proxy's own words, or more than the message says; without the location. */
  detail?: string | undefined;
  /** One sentence on how to fix it. */
  hint?: string | undefined;
  at?: Location | undefined;
  /** The role that would suffice. */
  needs?: Role | undefined;
  /** Changelog entries that prevent an undo. */
  changes?: readonly number[] | undefined;
  /** Seconds after which it is worth another try; travels as `Retry-After`. */
  retryAfter?: number | undefined;
  /** Of HTTP, other than usual for the code. */
  status?: number | undefined;
  /** For the log only; never leaves the program. */
  cause?: unknown;
};

/** An expected failure: `message` is one sentence for the person who asked. */
export class Failure extends Error {
  readonly detail: string | undefined;
  readonly hint: string | undefined;
  readonly at: Location;
  readonly needs: Role | undefined;
  readonly changes: readonly number[] | undefined;
  readonly retryAfter: number | undefined;
  readonly status: number;

  constructor(
    readonly code: FailureCode,
    message: string,
    extra: FailureExtra = {},
  ) {
    super(message, { cause: extra.cause });
    this.name = 'Failure';
    this.detail = extra.detail;
    this.hint = extra.hint;
    this.at = extra.at ?? {};
    this.needs = extra.needs;
    this.changes = extra.changes;
    this.retryAfter = extra.retryAfter;
    this.status = extra.status ?? FAILURES[code].status;
  }

  /** The same failure, about something else. */
  about(at: Location): Failure {
    const { code, message, detail, hint, changes, retryAfter, cause } = this;
    const extra = { detail, hint, at, changes, retryAfter, cause };
    return new Failure(code, message, extra);
  }

  /** The same failure with a hint. */
  hinting(hint: string): Failure {
    const { code, message, detail, at, changes, retryAfter, cause } = this;
    return new Failure(code, message, { detail, hint, at, changes, retryAfter, cause });
  }
}

/** The message of an error, and the detail of a failure after it. */
export const wordsOf = (error: unknown): string =>
  error instanceof Failure && error.detail !== undefined
    ? `${error.message} ${error.detail}`
    : messageOf(error);

/** `operation 2, in a.example, line 3: unrecognized directive`; undefined if there is nothing to add. */
export function sentenceOf({ message, detail, at }: Failure): string | undefined {
  const { operation, agent, vhost, policy, preamble, line } = at;
  const place = [
    operation && `operation ${operation}`,
    agent && `on ${agent}`,
    vhost && `in ${vhost.domain}`,
    policy && `policy ${policy.name}`,
    policy?.field && `field ${policy.field}`,
    preamble && 'preamble',
    lineWords(vhost?.line ?? preamble?.line ?? line),
  ].filter(Boolean);
  return place.length === 0 ? detail : `${place.join(', ')}: ${detail ?? message}`;
}

/** The same with how to fix it, if that is known. */
export function fullSentenceOf(failure: Failure): string {
  const sentence = sentenceOf(failure) ?? failure.message;
  return failure.hint === undefined ? sentence : `${sentence.replace(/\.$/, '')}. ${failure.hint}`;
}

const lineWords = (line: number | undefined) => (line === undefined ? '' : `line ${line}`);
