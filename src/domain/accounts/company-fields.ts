/** Company fields and the checks of their form, for the sign-up and the profile (portal 3, 5). */
import {
  createMaxLengthCheck,
  type FieldCheck,
  checkFields,
  checkEmail,
  type FieldProblem,
  checkOneLine,
  checkHiddenCharacter,
  checkRequired,
} from '#domain/checks/field-checks.ts'
import { isReserved } from '#domain/checks/reserved-words.ts'

export type CountryCode = 'CN' | 'HK'

/** Dial codes of portal 3. */
export const dialCodes = { CN: '86', HK: '852' } as const satisfies Record<CountryCode, string>
export const countries = Object.keys(dialCodes) as CountryCode[]

const signupFields = [
  'name',
  'country',
  'province',
  'city',
  'addr1',
  'addr2',
  'addr3',
  'tel',
  'email',
  'website',
] as const
/** All fields except the code, which never changes. */
export const profileFields = [...signupFields, 'tax_number'] as const
/** Fields of the sign-up. The tax number can be added later, with the first order. */
export const companyFields = ['code', ...signupFields] as const
export type ProfileField = (typeof profileFields)[number]
export type CompanyField = (typeof companyFields)[number]

export type CompanyProfile = { name: string; country: CountryCode | null } & Record<
  Exclude<ProfileField, 'name' | 'country'>,
  string | null
>
/** Values as in the form: a missing value is the empty string. */
export type CompanyValues = Record<CompanyField, string>

export const maxCompanyCodeLength = 20

const checkWordCharacters: FieldCheck = (value) => (/^\w+$/.test(value) ? null : { code: 'INVALID_CODE' })
const checkNotReserved: FieldCheck = (value) => (isReserved(value) ? { code: 'RESERVED' } : null)

/** `+code-number`, each part digits only (portal 5). The number of digits is not checked. */
const telPattern = /^\+\d+-\d+$/
const checkTel: FieldCheck = (value) => {
  if (telPattern.test(value.trim())) return null
  return { code: /^(?:\+?-)?\d+$/.test(value.trim()) ? 'DIAL_CODE_MISSING' : 'INVALID_TEL' }
}

/** A dial code without a number is treated as missing. */
const checkTelPresent: FieldCheck = (value) =>
  checkRequired(value) ?? (/^\+\d*-?$/.test(value.trim()) ? { code: 'REQUIRED' } : null)

/** Each country has its own format, and no register can be queried, so only the characters are checked. */
const checkTaxNumber: FieldCheck = (value) => (/^[a-z\d -]+$/i.test(value.trim()) ? null : { code: 'INVALID_FORMAT' })

const checkWebsite: FieldCheck = (value) => (isWebsite(value.trim()) ? null : { code: 'INVALID_URL' })

/**
 * S-08: displayed links must lead to a website. Checked with patterns, because the rule also runs where no URL parser is available: a host
 * name, optionally with http:// or https://, without user or password.
 */
function isWebsite(text: string): boolean {
  const [, host = ''] = /^(?:https?:\/\/)?([^/?#\s]+)(?:[/?#]\S*)?$/i.exec(text) ?? []
  return /^[\p{L}\p{N}][\p{L}\p{N}.-]*\.\p{L}{2,}(?::\d{1,5})?$/u.test(host) && !host.includes('..')
}

const checkIfPresent =
  (rule: FieldCheck): FieldCheck =>
  (value) =>
    value.trim() === '' ? null : rule(value)

/** Checks of each field. Maximum lengths are those in the specification's table of calls. */
const fieldChecks: Record<CompanyField | ProfileField, FieldCheck[]> = {
  code: [checkRequired, createMaxLengthCheck(maxCompanyCodeLength), checkWordCharacters, checkNotReserved],
  name: [checkRequired, createMaxLengthCheck(100), checkHiddenCharacter, checkOneLine],
  country: [],
  province: [createMaxLengthCheck(100), checkHiddenCharacter, checkOneLine],
  city: [createMaxLengthCheck(100), checkHiddenCharacter, checkOneLine],
  addr1: [createMaxLengthCheck(200), checkHiddenCharacter, checkOneLine],
  addr2: [createMaxLengthCheck(200), checkHiddenCharacter, checkOneLine],
  addr3: [createMaxLengthCheck(200), checkHiddenCharacter, checkOneLine],
  tel: [createMaxLengthCheck(40), checkIfPresent(checkTel)],
  email: [checkIfPresent(checkEmail)],
  website: [createMaxLengthCheck(200), checkIfPresent(checkWebsite)],
  tax_number: [createMaxLengthCheck(40), checkIfPresent(checkTaxNumber)],
}

/** Checks only the fields that are present, because an update contains only the changed fields. */
export function checkCompany(values: Partial<Record<CompanyField | ProfileField, string | null>>): FieldProblem[] {
  const presentChecks = Object.entries(fieldChecks).filter(([field]) => field in values)
  const texts = Object.fromEntries(presentChecks.map(([field]) => [field, values[field as ProfileField] ?? '']))
  return checkFields(texts, Object.fromEntries(presentChecks))
}

/** Checks the fields of a sign-up, where the telephone number is required too (portal 5). */
export const checkNewCompany = (values: CompanyValues): FieldProblem[] =>
  checkFields({ ...values }, { ...fieldChecks, tel: [checkTelPresent, createMaxLengthCheck(40), checkTel] })

/** Splits a number for the form. A number in another format is returned complete in `number`. */
export function splitTel(tel: string | null): { dialCode: string; number: string } {
  const [, dialCode, number] = /^\+(\d*)-(.*)$/.exec(tel ?? '') ?? []
  return dialCode === undefined ? { dialCode: '', number: tel ?? '' } : { dialCode, number: number ?? '' }
}

export const joinTel = ({ dialCode, number }: { dialCode: string; number: string }): string =>
  dialCode === '' && number === '' ? '' : `+${dialCode.replace(/^\+/, '')}-${number}`

/** Returns the country's dial code, unless the user has typed one that belongs to none of the countries. */
export function getDialCode(country: string, currentDialCode: string): string {
  const knownDialCodes: readonly string[] = Object.values(dialCodes)
  const countryCode = countries.find((countryCode) => countryCode === country)
  return countryCode && (currentDialCode === '' || knownDialCodes.includes(currentDialCode))
    ? dialCodes[countryCode]
    : currentDialCode
}
