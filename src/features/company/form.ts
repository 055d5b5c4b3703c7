/** The company's form: its values, what of them is sent, and what is wrong with them. Values mirror the form. */
import { getCompany, type companyRow } from '#contract/accounts.ts'
import type { VersionedRow } from '#contract/endpoint.ts'
import { toHttpRequest } from '#contract/http-mapping.ts'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import {
  checkCompany,
  type CompanyProfile,
  countries,
  dialCodes,
  joinTel,
  type ProfileField,
  profileFields,
  splitTel,
} from '#domain/accounts/company-fields.ts'
import { cleanText } from '#domain/text.ts'
import type { z } from 'zod/mini'

export type CompanyRow = Omit<z.output<typeof companyRow>, 'id'> & VersionedRow

/** Inputs and select boxes hold text; the number stands in two of them. */
export type CompanyFormValues = Record<Exclude<ProfileField, 'tel'>, string> & { dialCode: string; number: string }
/** Path under which the device keeps the company. */
export const getCompanyPath = (id: number): string => toHttpRequest(getCompany, { params: { id } }).path

export const toProfile = (row: CompanyRow): CompanyProfile =>
  // A row that an earlier build kept on the device may lack one.
  Object.fromEntries(profileFields.map((field) => [field, row[field] ?? null])) as unknown as CompanyProfile

export function toValues({ tel, ...profile }: CompanyProfile): CompanyFormValues {
  const { dialCode, number } = splitTel(tel)
  const texts = Object.fromEntries(Object.entries(profile).map(([field, value]) => [field, value ?? '']))
  return {
    ...(texts as Omit<CompanyFormValues, 'dialCode' | 'number'>),
    dialCode: dialCode || (profile.country ? dialCodes[profile.country] : ''),
    number,
  }
}

/** What is empty is not given. */
export function toProfileFromValues({ dialCode, number, ...values }: CompanyFormValues): CompanyProfile {
  const filledFields = Object.fromEntries(
    Object.entries(values).map(([field, text]) => [field, cleanText(text) === '' ? null : cleanText(text)]),
  )
  return {
    ...(filledFields as unknown as CompanyProfile),
    name: cleanText(values.name),
    country: countries.find((country) => country === values.country) ?? null,
    // A code alone reaches nobody.
    tel: number.trim() === '' ? null : joinTel({ dialCode: dialCode.trim(), number: number.trim() }),
  }
}

/** Only what differs: a PUT leaves the rest alone. */
export function getProfileChanges(profile: CompanyProfile, baseProfile: CompanyProfile): Partial<CompanyProfile> {
  return Object.fromEntries(
    profileFields.filter((field) => profile[field] !== baseProfile[field]).map((field) => [field, profile[field]]),
  )
}

/** Only what is changed is checked, as the server does: an old value that no longer passes is not in the way of others. */
export const checkForm = (profile: CompanyProfile, baseProfile: CompanyProfile): FieldProblem[] =>
  checkCompany({ ...getProfileChanges(profile, baseProfile), ...(profile.name === '' ? { name: '' } : {}) })

/** The form after a conflict: theirs, with what was typed here still over it. */
export const rebaseProfile = (
  typedProfile: CompanyProfile,
  baseProfile: CompanyProfile,
  currentProfile: CompanyProfile,
): CompanyProfile => ({
  ...currentProfile,
  ...getProfileChanges(typedProfile, baseProfile),
})
