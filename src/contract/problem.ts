/**
 * The only error shape. A problem is data with a code. Its text comes from `locales` by code, in the reader's language. For unknown codes
 * the server's message is shown, or else the code (portal 8).
 */
import type { FieldProblem } from '#domain/checks/field-checks.ts'

/** All problem codes of the server with their HTTP status (D60). Token errors have OAuth's names as well. */
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
  // The request used another host than PUBLIC_URL.
  WRONG_HOST: 403,
  // Only if the operator enabled it (S-48): the password must be entered again.
  STEP_UP_REQUIRED: 403,
  // The provider's staff act for a customer: they may not use this call, or the consent is over (decision 111).
  ACTING_READ_ONLY: 403,
  ACTING_ENDED: 403,
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
  // Not 429, because a 429 would delay all queued writes behind it for an hour.
  MAIL_LIMIT: 409,
  STATE_CONFLICT: 409,
  NOTHING_CHANGED: 409,
  USERS_OUT_OF_RANGE: 409,
  // The gateway has to end a payment before its order is deleted or replaced.
  PAYMENT_UNANSWERED: 409,
  REPLACED_UNANSWERED: 409,
  PAYMENT_IN_PROGRESS: 409,
  ORDER_PAID: 409,
  REPLACED_PAID: 409,
  // The amount is outside the limits of all payment methods or of this one.
  AMOUNT_TOO_SMALL: 409,
  AMOUNT_TOO_LARGE: 409,
  // The company has reached its limit of unpaid orders or of pictures.
  TOO_MANY_UNPAID: 409,
  PICTURE_QUOTA: 409,
  NO_MEMORY: 409,
  QUOTE_CHANGED: 409,
  CARD_INVALID: 409,
  APP_CONFIRM: 409,
  // A change discards paid money: the order must repeat the amount.
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
  // Handled like a locked row, with Retry-After: the write stays in the outbox and delays no other write.
  COMPANY_MAIL_LIMIT: 423,
  DEPENDENCY_FAILED: 424,
  NAME_UNKNOWN: 424,
  NOT_ATTEMPTED: 424,
  RATE_LIMITED: 429,
  // The user has reached the limit of number or size of unpublished uploads.
  UPLOAD_LIMIT: 429,
  SERVER_ERROR: 500,
  NOT_SUPPORT: 501,
  UNAVAILABLE: 503,
  INTERRUPTED: 503,
  STORAGE_FULL: 503,
  // Only the folder of uploaded files is full. Other writes still work.
  FILES_FULL: 507,
} as const
export type ProblemCode = keyof typeof problemStatus

export type LocalProblemCode =
  | 'OFFLINE'
  | 'UNREADABLE_ANSWER'
  | 'DOWNLOAD_CUT'
  | 'UNREADABLE_FILE'
  | 'STORAGE_FAILED'
  | 'STORAGE_LOST'
  /** The device's database has not responded for some seconds. Another page may block it. */
  | 'STORAGE_SILENT'
  | 'DEVICE_FULL'
  | 'NEEDS_CONNECTION'
  | 'SIGNED_OUT'
  | 'SESSION_LAPSED'
  | 'NOT_STARTED'
  | 'TOO_OLD'
  /** A proxy or firewall responded instead of the reachable server. Data: `{status}` of that response. */
  | 'BLOCKED_BY_PROXY'

export interface Problem {
  status: number
  code: ProblemCode | LocalProblemCode | (string & {})
  message: string
  data: unknown
  requestId: string | null
}

export const createLocalProblem = (code: ProblemCode | LocalProblemCode): Problem => ({
  status: 0,
  code,
  message: '',
  data: null,
  requestId: null,
})

/** Wait time of RATE_LIMITED in seconds. Null for other problems, or if the problem has no wait time. */
export function getRetrySeconds(problem: Problem | null): number | null {
  if (problem?.code !== 'RATE_LIMITED') return null
  const data = problem.data
  if (typeof data !== 'object' || data === null || !('retry_after' in data)) return null
  const seconds = Number(data.retry_after)
  return Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds) : null
}

/** Returns the key of the message, which for some codes depends on the data. */
export function getMessageKey(code: string, data: unknown): string {
  const fields = (typeof data === 'object' && data !== null ? data : {}) as Record<string, unknown>
  // Some hosting platforms count no memory for the program itself.
  if (code === 'NO_MEMORY') return fields['beside'] === '0' ? 'NO_MEMORY_FOR_TASKS' : code
  if (code !== 'RATE_LIMITED') return code
  const { exportsOf } = fields
  return exportsOf === 'user' ? 'EXPORTS_OF_USER' : exportsOf === 'company' ? 'EXPORTS_OF_COMPANY' : code
}

/** Returns true if the server was not reached, so there is no fault that the user could fix. */
export const isOffline = (problem: Problem | null | undefined): boolean =>
  problem?.code === 'OFFLINE' || problem?.code === 'NEEDS_CONNECTION'

/** Reads an error response in either style (portal 8): errorCode or error, errorMessage or error_description. */
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

export function getFieldProblems(problem: Problem): FieldProblem[] {
  return problem.code === 'VALIDATION_ERROR' && Array.isArray(problem.data) ? (problem.data as FieldProblem[]) : []
}

/** Returns the refusal reason (`why`) in the problem's data if it is one of `reasons`, otherwise null. */
export function findRefusalReason<R extends string>(problem: Problem | null, reasons: readonly R[]): R | null {
  const { why: reason } = (problem?.data ?? {}) as { why?: unknown }
  return reasons.find((candidate) => candidate === reason) ?? null
}
