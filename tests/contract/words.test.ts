import { describe, expect, test } from 'vitest'
import type { FieldCode } from '#domain/checks.ts'
import { type LocalCode, problemStatus } from '#contract/problem.ts'
import enFields from '#locales/en/fields.json' with { type: 'json' }
import en from '#locales/en/problem.json' with { type: 'json' }
import zhFields from '#locales/zh/fields.json' with { type: 'json' }
import zh from '#locales/zh/problem.json' with { type: 'json' }

const local: Record<LocalCode, true> = {
  OFFLINE: true,
  UNREADABLE_ANSWER: true,
  STORAGE_FAILED: true,
  NEEDS_CONNECTION: true,
  SIGNED_OUT: true,
  SESSION_LAPSED: true,
  NOT_STARTED: true,
  TOO_OLD: true,
}
/** In answers rather than of them: the activation's result and its last resort, and what is wrong with versions of apps. */
const beside = ['ACTIVATE_OK', 'ERROR_FOUND', 'apps_loop', 'apps_missing', 'apps_incompatible']

const fieldCodes: Record<FieldCode, true> = {
  REQUIRED: true,
  TOO_SHORT: true,
  TOO_LONG: true,
  OUT_OF_RANGE: true,
  INVALID_FORMAT: true,
  INVALID_EMAIL: true,
  INVALID_CODE: true,
  INVALID_TEL: true,
  MISMATCH: true,
  COMMON_PASSWORD: true,
  LOCKED: true,
  DUPLICATE: true,
  RESERVED: true,
  UNKNOWN_FIELD: true,
}

describe('words for what goes wrong', () => {
  test.each([
    ['English', en],
    ['Chinese', zh],
  ])('every code has them, in %s', (_, words) => {
    const codes = [...Object.keys(problemStatus), ...Object.keys(local), ...beside]
    expect(Object.keys(words).toSorted()).toEqual(codes.toSorted())
    expect(Object.values(words).filter((said) => said.trim() === '')).toEqual([])
  })

  test.each([
    ['English', enFields],
    ['Chinese', zhFields],
  ])('every code of a field has them, in %s', (_, words) => {
    expect(Object.keys(words).toSorted()).toEqual(Object.keys(fieldCodes).toSorted())
  })

  test('the catalogue of the specification is kept to the letter (portal 5, 8; contracts 5, 8)', () => {
    expect(en).toMatchObject({
      invalid_grant: 'Password Or User is wrong!',
      PASSWORD_UNCHANGE: 'New password is same as the original password.',
      INVALID_ORG_PASSWORD: 'The original password is wrong',
      NOT_SUPPORT: 'This function is not supported!',
      RESOURCE_LOCKED: '{{user}} is doing {{action}}, please try again later.',
      USER_STATUS_DEACTIVATED: 'User is not activated',
      USER_STATUS_INVALID: 'User is in invalid status, please contact your system administrator',
      DUP_USER: 'User with the same email exists already.',
      USER_NOT_EXIST: "Can't find this user.",
      NO_ACTIVATE_KEY: 'No activate key provided.',
      INVALID_ACTIVATE_KEY: 'Activate key is invalid or overdue.',
      ACTIVATE_OK: 'Activate successful',
      INVALID_RESETPWD_LINK: 'Password reset link is invalid or overdue.',
      ERROR_FOUND: 'Error Found',
      apps_missing: 'The following apps are missing!',
    })
    expect(enFields).toMatchObject({
      REQUIRED: 'Please input "{{field}}" as it\'s required.',
      INVALID_EMAIL: 'Email format is invalid!',
      INVALID_CODE: 'Only number&character is allowed',
      MISMATCH: 'The passwords you entered do not match!',
      DUPLICATE: '"{{code}}" is occupied.',
      RESERVED: '"{{code}}" is reserved by system',
    })
  })

  test('both languages fill in the same values', () => {
    const holes = (words: Record<string, string>) =>
      Object.entries(words).map(([code, said]) => [code, [...said.matchAll(/\{\{\w+\}\}/g)].map(String).toSorted()])
    expect(holes(zh)).toEqual(holes(en))
    expect(holes(zhFields)).toEqual(holes(enFields))
  })
})
