/** What a company says of itself: its fields, and the checks of its form, at the sign-up and on its profile (portal 3, 5). */
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

/** portal 3 */
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
/** All but its code, which never changes. */
export const profileFields = [...signupFields, 'tax_number'] as const
/** What the sign-up asks for: a tax number may come later, with the first order. */
export const companyFields = ['code', ...signupFields] as const
export type ProfileField = (typeof profileFields)[number]
export type CompanyField = (typeof companyFields)[number]

export type CompanyProfile = { name: string; country: CountryCode | null } & Record<
  Exclude<ProfileField, 'name' | 'country'>,
  string | null
>
/** As a form has them: what is not given is empty. */
export type CompanyValues = Record<CompanyField, string>

export const maxCompanyCodeLength = 20

const checkWordCharacters: FieldCheck = (value) => (/^\w+$/.test(value) ? null : { code: 'INVALID_CODE' })
const checkNotReserved: FieldCheck = (value) => (isReserved(value) ? { code: 'RESERVED' } : null)

/** `+code-number`, each part digits only (portal 5): how many is not for us to say. */
const telPattern = /^\+\d+-\d+$/
const checkTel: FieldCheck = (value) => {
  if (telPattern.test(value.trim())) return null
  return { code: /^(?:\+?-)?\d+$/.test(value.trim()) ? 'DIAL_CODE_MISSING' : 'INVALID_TEL' }
}

/** A country's code alone is no number yet. */
const checkTelPresent: FieldCheck = (value) =>
  checkRequired(value) ?? (/^\+\d*-?$/.test(value.trim()) ? { code: 'REQUIRED' } : null)

/** Every country has a shape of its own, and we can look none of them up. */
const checkTaxNumber: FieldCheck = (value) => (/^[a-z\d -]+$/i.test(value.trim()) ? null : { code: 'INVALID_FORMAT' })

const checkWebsite: FieldCheck = (value) => (isWebsite(value.trim()) ? null : { code: 'INVALID_URL' })

/**
 * S-08: what is shown as a link leads to the web and nowhere else. By its letters, because the same rule runs where there
 * is no parser of addresses: a host as people write it, or one behind http:// or https://, without user or password.
 */
function isWebsite(text: string): boolean {
  const [, host = ''] = /^(?:https?:\/\/)?([^/?#\s]+)(?:[/?#]\S*)?$/i.exec(text) ?? []
  return /^[\p{L}\p{N}][\p{L}\p{N}.-]*\.\p{L}{2,}(?::\d{1,5})?$/u.test(host) && !host.includes('..')
}

/** What is not given is not checked. */
const checkIfPresent =
  (rule: FieldCheck): FieldCheck =>
  (value) =>
    value.trim() === '' ? null : rule(value)

/** Lengths as the table of calls has them. */
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

/** Only the fields that are named: a change names few. */
export function checkCompany(values: Partial<Record<CompanyField | ProfileField, string | null>>): FieldProblem[] {
  const presentChecks = Object.entries(fieldChecks).filter(([field]) => field in values)
  const texts = Object.fromEntries(presentChecks.map(([field]) => [field, values[field as ProfileField] ?? '']))
  return checkFields(texts, Object.fromEntries(presentChecks))
}

/** At the sign-up a telephone is required too (portal 5). */
export const checkNewCompany = (values: CompanyValues): FieldProblem[] =>
  checkFields({ ...values }, { ...fieldChecks, tel: [checkTelPresent, createMaxLengthCheck(40), checkTel] })

/** The two parts of a number as a form shows them; what is not of that shape stays whole in the second. */
export function splitTel(tel: string | null): { dialCode: string; number: string } {
  const [, dialCode, number] = /^\+(\d*)-(.*)$/.exec(tel ?? '') ?? []
  return dialCode === undefined ? { dialCode: '', number: tel ?? '' } : { dialCode, number: number ?? '' }
}

/** Empty where neither part is there. */
export const joinTel = ({ dialCode, number }: { dialCode: string; number: string }): string =>
  dialCode === '' && number === '' ? '' : `+${dialCode.replace(/^\+/, '')}-${number}`

/** The dial code goes with the country, as long as it is one of theirs: what somebody typed themselves stays. */
export function getDialCode(country: string, currentDialCode: string): string {
  const knownDialCodes: readonly string[] = Object.values(dialCodes)
  const countryCode = countries.find((countryCode) => countryCode === country)
  return countryCode && (currentDialCode === '' || knownDialCodes.includes(currentDialCode))
    ? dialCodes[countryCode]
    : currentDialCode
}
