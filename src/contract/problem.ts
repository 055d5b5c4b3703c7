/**
 * The one error shape. A problem is data with a code; words are found for it in `locales` by code, in the language of
 * whoever reads it. Unknown codes show the server's own message, then the code (portal 8).
 */
import type { FieldProblem } from '#domain/checks/field-checks.ts'

/** Every code the server answers, with its HTTP status (D60). Token errors carry OAuth's names beside. */
export const problemStatus = {
  VALIDATION_ERROR: 400,
  INVALID_ACTIVATE_KEY: 400,
  NO_ACTIVATE_KEY: 400,
  INVALID_RESETPWD_LINK: 400,
  PASSWORD_UNCHANGE: 400,
  INVALID_ORG_PASSWORD: 400,
  WEAK_PASSWORD: 400,
  invalid_grant: 401,
  invalid_client: 401,
  UNAUTHORIZED: 401,
  TOKENEXPIRED: 401,
  MFA_REQUIRED: 401,
  MFA_INVALID: 401,
  MFA_EXPIRED: 401,
  USER_STATUS_DEACTIVATED: 401,
  USER_STATUS_INVALID: 409,
  FORBIDDEN: 403,
  // Asked for by another name than PUBLIC_URL has.
  WRONG_HOST: 403,
  // Only where the operator turned it on (S-48): the password, given just now.
  STEP_UP_REQUIRED: 403,
  NOT_FOUND: 404,
  USER_NOT_EXIST: 404,
  INTENT_UNKNOWN: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  DUP_USER: 409,
  DUP_CODE: 409,
  RESERVED_CODE: 409,
  SELF_FORBIDDEN: 409,
  LAST_ADMIN: 409,
  LAST_FACTOR: 409,
  // For a write that waits: a 429 would hold up everything behind it for the hour.
  MAIL_LIMIT: 409,
  STATE_CONFLICT: 409,
  NOTHING_CHANGED: 409,
  USERS_OUT_OF_RANGE: 409,
  // The gateway has to end a payment before its order is deleted, or replaced by another one.
  PAYMENT_UNANSWERED: 409,
  REPLACED_UNANSWERED: 409,
  PAYMENT_IN_PROGRESS: 409,
  ORDER_PAID: 409,
  REPLACED_PAID: 409,
  // Outside of what any, or this, way of paying takes.
  AMOUNT_TOO_SMALL: 409,
  AMOUNT_TOO_LARGE: 409,
  // A company has as many orders to pay, or pictures, as it may have at once.
  TOO_MANY_UNPAID: 409,
  PICTURE_QUOTA: 409,
  // The host of services has less memory free than the configuration takes.
  NO_MEMORY: 409,
  QUOTE_CHANGED: 409,
  CARD_INVALID: 409,
  APP_CONFIRM: 409,
  // A change discards money that was paid: the order has to carry the sum.
  DISCARD_CONFIRM: 409,
  WRONG_SESSION: 409,
  INTENT_DONE: 409,
  INTENT_VOID: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  GONE: 410,
  VERSION_CONFLICT: 412,
  TOO_LARGE: 413,
  IMAGE_TOO_LARGE: 413,
  UNSUPPORTED_TYPE: 415,
  IDEMPOTENCY_MISMATCH: 422,
  RESOURCE_LOCKED: 423,
  // Waited for like a locked row, with Retry-After: this write stays in the outbox, and nothing behind it is held up.
  COMPANY_MAIL_LIMIT: 423,
  DEPENDENCY_FAILED: 424,
  NAME_UNKNOWN: 424,
  NOT_ATTEMPTED: 424,
  RATE_LIMITED: 429,
  // So many files, or so much, may one user have uploaded that nobody published.
  UPLOAD_LIMIT: 429,
  SERVER_ERROR: 500,
  NOT_SUPPORT: 501,
  UNAVAILABLE: 503,
  INTERRUPTED: 503,
  STORAGE_FULL: 503,
  // The folder of uploaded files alone: all other writes go on.
  FILES_FULL: 507,
} as const
export type ProblemCode = keyof typeof problemStatus

/** Codes that no server sends: what the device says by itself. */
export type LocalProblemCode =
  | 'OFFLINE'
  | 'UNREADABLE_ANSWER'
  /** Of a file not all of it came. */
  | 'DOWNLOAD_CUT'
  /** It was changed, moved or taken away since it was chosen. */
  | 'UNREADABLE_FILE'
  | 'STORAGE_FAILED'
  /** The device's database was closed and could not be opened again. */
  | 'STORAGE_LOST'
  /** It has not answered for some seconds: another page may block it. */
  | 'STORAGE_SILENT'
  /** There is no room for a write on this device, and no connection. */
  | 'DEVICE_FULL'
  | 'NEEDS_CONNECTION'
  | 'SIGNED_OUT'
  | 'SESSION_LAPSED'
  | 'NOT_STARTED'
  | 'TOO_OLD'
  /** A proxy or firewall answered in the server's place, which is there for other requests. Data: `{status}`, its own. */
  | 'BLOCKED_BY_PROXY'

export interface Problem {
  status: number
  code: ProblemCode | LocalProblemCode | (string & {})
  /** The server's own words, for a code we have none for. */
  message: string
  data: unknown
  /** Shown with the error, so that a person can name it to us. */
  requestId: string | null
}

/** What the device says before, or instead of, the server. */
export const createLocalProblem = (code: ProblemCode | LocalProblemCode): Problem => ({
  status: 0,
  code,
  message: '',
  data: null,
  requestId: null,
})

/** How long a RATE_LIMITED asks to wait, in seconds; null when the problem is another one or does not say. */
export function getRetrySeconds(problem: Problem | null): number | null {
  if (problem?.code !== 'RATE_LIMITED') return null
  const data = problem.data
  if (typeof data !== 'object' || data === null || !('retry_after' in data)) return null
  const seconds = Number(data.retry_after)
  return Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds) : null
}

/** The key of its message: which limit a RATE_LIMITED is about stands in its data. */
export function getMessageKey(code: string, data: unknown): string {
  const exportsOf = typeof data === 'object' && data !== null && 'exportsOf' in data ? data.exportsOf : null
  if (code !== 'RATE_LIMITED') return code
  return exportsOf === 'user' ? 'EXPORTS_OF_USER' : exportsOf === 'company' ? 'EXPORTS_OF_COMPANY' : code
}

/** Nobody was reached: nothing went wrong that its user could mend. */
export const isOffline = (problem: Problem | null | undefined): boolean =>
  problem?.code === 'OFFLINE' || problem?.code === 'NEEDS_CONNECTION'

/** Reads an error answer of either style (portal 8): errorCode or error, errorMessage or error_description. */
export function readProblem(status: number, body: unknown, requestId: string | null): Problem {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  const code = fields.errorCode ?? fields.error
  const message = fields.errorMessage ?? fields.error_description
  return {
    status,
    code: typeof code === 'string' ? code : status === 0 ? 'OFFLINE' : 'UNREADABLE_ANSWER',
    message: typeof message === 'string' ? message : '',
    data: fields.data ?? null,
    requestId,
  }
}

/** The fields a problem is about; empty where it is about none. */
export function getFieldProblems(problem: Problem): FieldProblem[] {
  return problem.code === 'VALIDATION_ERROR' && Array.isArray(problem.data) ? (problem.data as FieldProblem[]) : []
}

/** The reason in the data of a refusal (`why`), if it is one of these; null: it is another, or there is none. */
export function findRefusalReason<R extends string>(problem: Problem | null, reasons: readonly R[]): R | null {
  const { why: reason } = (problem?.data ?? {}) as { why?: unknown }
  return reasons.find((candidate) => candidate === reason) ?? null
}
