/** Every error code of the two interfaces and the HTTP status it travels with. */
export const STATUS = {
  INVALID_JSON: 400,
  INVALID_REQUEST: 400,
  VALIDATION_ERROR: 400,
  INVALID_EMAIL: 400,
  INVALID_PASSWORD: 400,
  PASSWORD_TOO_SHORT: 400,
  PASSWORD_TOO_LONG: 400,
  PASSWORD_TOO_COMMON: 400,
  UNAUTHENTICATED: 401,
  INVALID_EMAIL_OR_PASSWORD: 401,
  FORBIDDEN: 403,
  FORBIDDEN_ORIGIN: 403,
  SIGN_UP_CLOSED: 403,
  SETUP_CODE_REQUIRED: 403,
  NOT_FOUND: 404,
  BODY_TOO_SLOW: 408,
  DOMAIN_TAKEN: 409,
  LAST_USER: 409,
  STALE: 409,
  IMPORT_FIRST: 409,
  REVERT_CONFLICT: 409,
  NOT_EMPTY: 409,
  PRECONDITION_FAILED: 412,
  IMPORT_DIFFERS: 422,
  BODY_TOO_LARGE: 413,
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: 422,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  PROXY_REJECTED: 502,
  PROXY_UNREACHABLE: 502,
  AGENT_UNREACHABLE: 502,
  STORAGE_UNAVAILABLE: 507,
} as const;

export type FailureCode = keyof typeof STATUS;

/** What may travel beside code and message: the proxy's own words, and the line it named. */
export type FailureExtra = {
  detail?: string | undefined;
  line?: number | undefined;
  /** Seconds after which it is worth another try; travels as `Retry-After`. */
  retryAfter?: number | undefined;
  /** For the log only; never leaves the program. */
  cause?: unknown;
};

/** An expected failure: `message` is one sentence for the person who asked. */
export class Failure extends Error {
  readonly detail: string | undefined;
  readonly line: number | undefined;
  readonly retryAfter: number | undefined;

  constructor(
    readonly code: FailureCode,
    message: string,
    extra: FailureExtra = {},
  ) {
    super(message, { cause: extra.cause });
    this.name = 'Failure';
    this.detail = extra.detail;
    this.line = extra.line;
    this.retryAfter = extra.retryAfter;
  }
}
