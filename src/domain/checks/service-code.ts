/** The code of a hosted service, and its addresses (portal 5, 9). */
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { isReservedService } from '#domain/checks/reserved-words.ts'

/** 3 to 16 characters: a lowercase letter, then lowercase letters and digits. */
const codePattern = /^[a-z][a-z0-9]{2,15}$/

/** Checks format and reserved words. Whether the service exists is checked by the server. */
export function checkServiceCode(field: string, code: string): FieldProblem | null {
  if (code === '') return { field, code: 'REQUIRED' }
  if (isReservedService(code)) return { field, code: 'RESERVED' }
  return codePattern.test(code) ? null : { field, code: 'INVALID_FORMAT' }
}

/** Replaces a leading `www` with `admin`. Returns null for addresses without an admin site (portal 9). */
export const toAdminUrl = (url: string): string | null =>
  /^https?:\/\/www\./i.test(url) ? url.replace(/www/i, 'admin') : null
