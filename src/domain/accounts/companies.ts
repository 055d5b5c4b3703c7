/** What a company says of itself: its fields, and the checks of its form, at the sign-up and on its profile (portal 3, 5). */
import {
  atMost,
  type Check,
  check,
  email,
  type FieldProblem,
  isOneLine,
  noHiddenCharacter,
  required,
} from '#domain/checks/field-checks.ts'
import { isReserved } from '#domain/checks/reserved-words.ts'

export type Country = 'CN' | 'HK'

/** portal 3 */
export const dialCodes = { CN: '86', HK: '852' } as const satisfies Record<Country, string>
export const countries = Object.keys(dialCodes) as Country[]

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

export type CompanyProfile = { name: string; country: Country | null } & Record<
  Exclude<ProfileField, 'name' | 'country'>,
  string | null
>
/** As a form has them: what is not given is empty. */
export type CompanyValues = Record<CompanyField, string>

export const longestCompanyCode = 20

const wordCharacters: Check = (value) => (/^\w+$/.test(value) ? null : { code: 'INVALID_CODE' })
const notReserved: Check = (value) => (isReserved(value) ? { code: 'RESERVED' } : null)

/** `+code-number`, each part digits only (portal 5): how many is not for us to say. */
const telShape = /^\+\d+-\d+$/
const tel: Check = (value) => {
  if (telShape.test(value.trim())) return null
  return { code: /^(?:\+?-)?\d+$/.test(value.trim()) ? 'DIAL_CODE_MISSING' : 'INVALID_TEL' }
}

/** A country's code alone is no number yet. */
const telGiven: Check = (value) => required(value) ?? (/^\+\d*-?$/.test(value.trim()) ? { code: 'REQUIRED' } : null)

/** Every country has a shape of its own, and we can look none of them up. */
const taxNumber: Check = (value) => (/^[a-z\d -]+$/i.test(value.trim()) ? null : { code: 'INVALID_FORMAT' })

const website: Check = (value) => (isWebsite(value.trim()) ? null : { code: 'INVALID_URL' })

/**
 * S-08: what is shown as a link leads to the web and nowhere else. By its letters, because the same rule runs where there
 * is no parser of addresses: a host as people write it, or one behind http:// or https://, without user or password.
 */
function isWebsite(text: string): boolean {
  const [, host = ''] = /^(?:https?:\/\/)?([^/?#\s]+)(?:[/?#]\S*)?$/i.exec(text) ?? []
  return /^[\p{L}\p{N}][\p{L}\p{N}.-]*\.\p{L}{2,}(?::\d{1,5})?$/u.test(host) && !host.includes('..')
}

/** What is not given is not checked. */
const ifAny =
  (rule: Check): Check =>
  (value) =>
    value.trim() === '' ? null : rule(value)

/** Lengths as the table of calls has them. */
const rules: Record<CompanyField | ProfileField, Check[]> = {
  code: [required, atMost(longestCompanyCode), wordCharacters, notReserved],
  name: [required, atMost(100), noHiddenCharacter, isOneLine],
  country: [],
  province: [atMost(100), noHiddenCharacter, isOneLine],
  city: [atMost(100), noHiddenCharacter, isOneLine],
  addr1: [atMost(200), noHiddenCharacter, isOneLine],
  addr2: [atMost(200), noHiddenCharacter, isOneLine],
  addr3: [atMost(200), noHiddenCharacter, isOneLine],
  tel: [atMost(40), ifAny(tel)],
  email: [ifAny(email)],
  website: [atMost(200), ifAny(website)],
  tax_number: [atMost(40), ifAny(taxNumber)],
}

/** Only the fields that are named: a change names few. */
export function checkCompany(values: Partial<Record<CompanyField | ProfileField, string | null>>): FieldProblem[] {
  const named = Object.entries(rules).filter(([field]) => field in values)
  const texts = Object.fromEntries(named.map(([field]) => [field, values[field as ProfileField] ?? '']))
  return check(texts, Object.fromEntries(named))
}

/** At the sign-up a telephone is required too (portal 5). */
export const checkNewCompany = (values: CompanyValues): FieldProblem[] =>
  check({ ...values }, { ...rules, tel: [telGiven, atMost(40), tel] })

/** The two parts of a number as a form shows them; what is not of that shape stays whole in the second. */
export function splitTel(said: string | null): { dialCode: string; number: string } {
  const [, dialCode, number] = /^\+(\d*)-(.*)$/.exec(said ?? '') ?? []
  return dialCode === undefined ? { dialCode: '', number: said ?? '' } : { dialCode, number: number ?? '' }
}

/** Empty where neither part is there. */
export const joinTel = ({ dialCode, number }: { dialCode: string; number: string }): string =>
  dialCode === '' && number === '' ? '' : `+${dialCode.replace(/^\+/, '')}-${number}`

/** The dial code goes with the country, as long as it is one of theirs: what somebody typed themselves stays. */
export function dialCodeFor(country: string, before: string): string {
  const known: readonly string[] = Object.values(dialCodes)
  const own = countries.find((one) => one === country)
  return own && (before === '' || known.includes(before)) ? dialCodes[own] : before
}
