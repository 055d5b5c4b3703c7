import { describe, expect, test } from 'vitest'
import type { FieldCode } from '#domain/checks/field-checks.ts'
import { type LocalProblemCode, problemStatus } from '#contract/problem.ts'
import { serviceOperations } from '#contract/services.ts'
import enFields from '#locales/en/fields.json' with { type: 'json' }
import en from '#locales/en/problem.json' with { type: 'json' }
import enParts from '#locales/en/ui.json' with { type: 'json' }
import zhFields from '#locales/zh/fields.json' with { type: 'json' }
import zh from '#locales/zh/problem.json' with { type: 'json' }
import enServices from '#locales/en/services.json' with { type: 'json' }
import { messageCatalogue } from '#tests/contract/specified.ts'
import zhServices from '#locales/zh/services.json' with { type: 'json' }
import zhParts from '#locales/zh/ui.json' with { type: 'json' }

const localCodes: Record<LocalProblemCode, true> = {
  OFFLINE: true,
  UNREADABLE_ANSWER: true,
  DOWNLOAD_CUT: true,
  UNREADABLE_FILE: true,
  STORAGE_FAILED: true,
  STORAGE_LOST: true,
  STORAGE_SILENT: true,
  DEVICE_FULL: true,
  NEEDS_CONNECTION: true,
  SIGNED_OUT: true,
  SESSION_LAPSED: true,
  NOT_STARTED: true,
  TOO_OLD: true,
  BLOCKED_BY_PROXY: true,
}
/** Codes inside successful responses: the result of an activation, its fallback, and faults of app versions. */
const responseCodes = ['ACTIVATE_OK', 'ERROR_FOUND', 'apps_loop', 'apps_missing', 'apps_incompatible']
/** Message of a problem whose data lacks names that its normal sentence needs. */
const fallbackCodes = ['bare']
/** Messages that depend on the data of a problem (`getMessageKey`). */
const dataCodes = ['EXPORTS_OF_USER', 'EXPORTS_OF_COMPANY', 'NO_MEMORY_FOR_TASKS']

const fieldCodes: Record<FieldCode, true> = {
  REQUIRED: true,
  TOO_SHORT: true,
  TOO_LONG: true,
  OUT_OF_RANGE: true,
  INVALID_FORMAT: true,
  HIDDEN_CHARACTER: true,
  INVALID_EMAIL: true,
  INVALID_CODE: true,
  INVALID_TEL: true,
  DIAL_CODE_MISSING: true,
  INVALID_URL: true,
  MISMATCH: true,
  NOT_CONFIRMED: true,
  MIXED_ITEMS: true,
  COMMON_PASSWORD: true,
  LOCKED: true,
  DUPLICATE: true,
  REPEATED: true,
  BAD_PACKAGE: true,
  BAD_STATEMENT: true,
  RESERVED: true,
  UNKNOWN_FIELD: true,
  TOO_MANY: true,
  TOO_DEEP: true,
}

describe('Messages of problems', () => {
  test.each([
    ['English', en],
    ['Chinese', zh],
  ])('Every problem code has a message in %s', (_, words) => {
    const codes = [
      ...Object.keys(problemStatus),
      ...Object.keys(localCodes),
      ...responseCodes,
      ...fallbackCodes,
      ...dataCodes,
    ]
    expect(Object.keys(words).toSorted()).toEqual(codes.toSorted())
    expect(Object.values(words).filter((text) => text.trim() === '')).toEqual([])
  })

  test.each([
    ['English', enFields],
    ['Chinese', zhFields],
  ])('Every field code has a message in %s', (_, words) => {
    expect(Object.keys(words).toSorted()).toEqual(Object.keys(fieldCodes).toSorted())
  })

  test('The English messages are those of the specification, word for word (M48, M51; portal 5, 8; contracts 5, 8)', () => {
    expect(en).toMatchObject({
      ...messageCatalogue,
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

  test('The messages after a change are those of the specification (M50)', () => {
    expect(enParts.message).toEqual({
      updated: 'Update successfully.',
      updateFailed: 'Update failed.',
      done: '{{action}} successfully.',
      failed: '{{action}} failed.',
    })
    expect(Object.keys(zhParts.message)).toEqual(Object.keys(enParts.message))
  })

  test('Both languages use the same placeholders', () => {
    const listPlaceholders = (words: Record<string, string>) =>
      Object.entries(words).map(([code, text]) => [code, [...text.matchAll(/\{\{\w+\}\}/g)].map(String).toSorted()])
    expect(listPlaceholders(zh)).toEqual(listPlaceholders(en))
    expect(listPlaceholders(zhFields)).toEqual(listPlaceholders(enFields))
  })
})

test('Every operation that locks a service has a name in both languages (M49)', () => {
  for (const { locked } of [enServices, zhServices])
    expect(Object.keys(locked).toSorted()).toEqual([...serviceOperations, 'run-backup', 'somebody'].toSorted())
})
