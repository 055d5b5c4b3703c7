import { describe, expect, test } from 'vitest'
import { type ProblemCode, problemStatus } from '#contract/problem.ts'
import { isStored, type Verdict, getVerdict } from '#contract/verdict.ts'

/** The verdict on a queued write for each problem code, if the response has the echo of its key and is final where it can be. */
const byCode: Record<ProblemCode, Verdict | Record<'POST' | 'PUT' | 'DELETE', Verdict>> = {
  VALIDATION_ERROR: 'refused',
  INVALID_ACTIVATE_KEY: 'refused',
  NO_ACTIVATE_KEY: 'refused',
  INVALID_RESETPWD_LINK: 'refused',
  PASSWORD_UNCHANGE: 'refused',
  INVALID_ORG_PASSWORD: 'refused',
  WEAK_PASSWORD: 'refused',
  invalid_grant: 'sign in',
  invalid_client: 'sign in',
  UNAUTHORIZED: 'sign in',
  TOKENEXPIRED: 'sign in',
  MFA_REQUIRED: 'sign in',
  MFA_INVALID: 'sign in',
  MFA_EXPIRED: 'sign in',
  USER_STATUS_DEACTIVATED: 'sign in',
  USER_STATUS_INVALID: 'refused',
  FORBIDDEN: 'refused',
  WRONG_HOST: 'refused',
  ACTING_READ_ONLY: 'refused',
  ACTING_ENDED: 'refused',
  STEP_UP_REQUIRED: 'refused',
  // Another user has deleted the row: a DELETE is `done`, a PUT is a `conflict` (protocol 14).
  NOT_FOUND: { POST: 'refused', PUT: 'conflict', DELETE: 'done' },
  USER_NOT_EXIST: { POST: 'refused', PUT: 'conflict', DELETE: 'done' },
  INTENT_UNKNOWN: { POST: 'refused', PUT: 'conflict', DELETE: 'done' },
  GONE: { POST: 'refused', PUT: 'conflict', DELETE: 'done' },
  METHOD_NOT_ALLOWED: 'refused',
  REQUEST_TIMEOUT: 'later',
  DUP_USER: 'refused',
  DUP_CODE: 'refused',
  RESERVED_CODE: 'refused',
  SELF_FORBIDDEN: 'refused',
  LAST_ADMIN: 'refused',
  LAST_FACTOR: 'refused',
  MAIL_LIMIT: 'refused',
  COMPANY_MAIL_LIMIT: 'later',
  STATE_CONFLICT: 'refused',
  NOTHING_CHANGED: 'refused',
  USERS_OUT_OF_RANGE: 'refused',
  PAYMENT_UNANSWERED: 'refused',
  REPLACED_UNANSWERED: 'refused',
  PAYMENT_IN_PROGRESS: 'refused',
  ORDER_PAID: 'refused',
  REPLACED_PAID: 'refused',
  AMOUNT_TOO_SMALL: 'refused',
  AMOUNT_TOO_LARGE: 'refused',
  TOO_MANY_UNPAID: 'refused',
  PICTURE_QUOTA: 'refused',
  NO_MEMORY: 'refused',
  QUOTE_CHANGED: 'refused',
  CARD_INVALID: 'refused',
  APP_CONFIRM: 'asks',
  DISCARD_CONFIRM: 'refused',
  WRONG_SESSION: 'sign in',
  INTENT_DONE: 'done',
  INTENT_VOID: 'refused',
  IDEMPOTENCY_IN_PROGRESS: 'later',
  VERSION_CONFLICT: 'conflict',
  TOO_LARGE: 'refused',
  IMAGE_TOO_LARGE: 'refused',
  UNSUPPORTED_TYPE: 'refused',
  IDEMPOTENCY_MISMATCH: 'refused',
  RESOURCE_LOCKED: 'later',
  DEPENDENCY_FAILED: 'later',
  NAME_UNKNOWN: 'later',
  NOT_ATTEMPTED: 'later',
  RATE_LIMITED: 'later',
  SERVER_ERROR: 'later',
  NOT_SUPPORT: 'refused',
  UNAVAILABLE: 'later',
  // Only the poll of a long request gets this response. A queued write never gets it.
  INTERRUPTED: 'later',
  STORAGE_FULL: 'later',
  FILES_FULL: 'later',
  UPLOAD_LIMIT: 'later',
}

const methods = ['POST', 'PUT', 'DELETE'] as const
const buildResponse = (status: number, code: string | null) => ({
  status,
  code,
  echoed: true,
  final: isStored(status, code),
})

describe('getVerdict of a response from the server', () => {
  const rows = Object.entries(problemStatus).flatMap(([code, status]) =>
    methods.map((method) => {
      const verdicts = byCode[code as ProblemCode]
      return [method, status, code, typeof verdicts === 'string' ? verdicts : verdicts[method]] as const
    }),
  )

  test.each(rows)('treats %s with the response %i %s as: %s', (method, status, code, expected) => {
    expect(getVerdict(method, buildResponse(status, code))).toBe(expected)
  })

  test.each([200, 201, 202, 204])('treats a final %i as done', (status) => {
    for (const method of methods) expect(getVerdict(method, buildResponse(status, null))).toBe('done')
  })

  test.each([
    [408, 'later'],
    [423, 'later'],
    [424, 'later'],
    [425, 'later'],
    [429, 'later'],
    [500, 'later'],
    [502, 'later'],
    [503, 'later'],
    [504, 'later'],
    [401, 'sign in'],
    [412, 'conflict'],
    [403, 'refused'],
    [409, 'refused'],
    [418, 'refused'],
  ] as const)('treats %i with an unknown code as: %s', (status, expected) => {
    for (const code of [null, 'NEW_CODE', 'constructor', '__proto__'])
      expect(getVerdict('POST', buildResponse(status, code))).toBe(expected)
  })
})

describe('getVerdict of a response that may not be from the server', () => {
  test.each([200, 201, 204, 401, 403, 404, 409, 412, 500])('returns "later" for %i without an echoed key', (status) => {
    expect(getVerdict('POST', { status, code: null, echoed: false, final: false })).toBe('later')
    expect(getVerdict('DELETE', { status, code: null, echoed: false, final: true })).toBe('later')
  })

  test.each([
    [200, null],
    [404, 'NOT_FOUND'],
    [409, 'DUP_USER'],
    [400, 'VALIDATION_ERROR'],
  ])('returns "later" for %i %s with an echoed key but without a final outcome', (status, code) => {
    for (const method of methods) expect(getVerdict(method, { status, code, echoed: true, final: false })).toBe('later')
  })
})

describe('isStored (protocol 3)', () => {
  test('stores every outcome except those that may differ in the next attempt', () => {
    const storedCodes = Object.entries(problemStatus).filter(([code, status]) => isStored(status, code))
    const unstoredCodes = Object.keys(problemStatus).filter((code) => !storedCodes.some(([name]) => name === code))
    expect(unstoredCodes.toSorted()).toEqual(
      [
        'invalid_grant',
        'invalid_client',
        'UNAUTHORIZED',
        'TOKENEXPIRED',
        'MFA_REQUIRED',
        'MFA_INVALID',
        'MFA_EXPIRED',
        'USER_STATUS_DEACTIVATED',
        'REQUEST_TIMEOUT',
        'UPLOAD_LIMIT',
        'FILES_FULL',
        'RESOURCE_LOCKED',
        'COMPANY_MAIL_LIMIT',
        'DEPENDENCY_FAILED',
        'NAME_UNKNOWN',
        'NOT_ATTEMPTED',
        'RATE_LIMITED',
        'SERVER_ERROR',
        'STEP_UP_REQUIRED',
        'ACTING_READ_ONLY',
        'ACTING_ENDED',
        'NOT_SUPPORT',
        'UNAVAILABLE',
        'INTERRUPTED',
        'STORAGE_FULL',
        'IDEMPOTENCY_IN_PROGRESS',
        'WRONG_SESSION',
      ].toSorted(),
    )
    expect([200, 201, 202, 204].every((status) => isStored(status, null))).toBe(true)
  })
})
