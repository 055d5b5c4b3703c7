/** The company's form: its values, what of them is sent, and what is wrong with them. Values mirror the form. */
import { getCompany, type companyRow } from '#contract/accounts.ts'
import type { Row } from '#contract/endpoint.ts'
import { toWire } from '#contract/http-mapping.ts'
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
} from '#domain/accounts/companies.ts'
import { tidyText } from '#domain/text.ts'
import type { z } from 'zod/mini'

export type CompanyRow = Omit<z.output<typeof companyRow>, 'id'> & Row

/** Inputs and select boxes hold text; the number stands in two of them. */
export type Values = Record<Exclude<ProfileField, 'tel'>, string> & { dialCode: string; number: string }
/** Path under which the device keeps the company. */
export const pathOf = (id: number): string => toWire(getCompany, { params: { id } }).path

export const profileOf = (row: CompanyRow): CompanyProfile =>
  // A row that an earlier build kept on the device may lack one.
  Object.fromEntries(profileFields.map((field) => [field, row[field] ?? null])) as unknown as CompanyProfile

export function toValues({ tel, ...profile }: CompanyProfile): Values {
  const { dialCode, number } = splitTel(tel)
  const texts = Object.fromEntries(Object.entries(profile).map(([field, value]) => [field, value ?? '']))
  return {
    ...(texts as Omit<Values, 'dialCode' | 'number'>),
    dialCode: dialCode || (profile.country ? dialCodes[profile.country] : ''),
    number,
  }
}

/** What is empty is not given. */
export function fromValues({ dialCode, number, ...values }: Values): CompanyProfile {
  const given = Object.fromEntries(
    Object.entries(values).map(([field, text]) => [field, tidyText(text) === '' ? null : tidyText(text)]),
  )
  return {
    ...(given as unknown as CompanyProfile),
    name: tidyText(values.name),
    country: countries.find((country) => country === values.country) ?? null,
    // A code alone reaches nobody.
    tel: number.trim() === '' ? null : joinTel({ dialCode: dialCode.trim(), number: number.trim() }),
  }
}

/** Only what differs: a PUT leaves the rest alone. */
export function changesOf(now: CompanyProfile, base: CompanyProfile): Partial<CompanyProfile> {
  return Object.fromEntries(
    profileFields.filter((field) => now[field] !== base[field]).map((field) => [field, now[field]]),
  )
}

/** Only what is changed is checked, as the server does: an old value that no longer passes is not in the way of others. */
export const checkForm = (now: CompanyProfile, base: CompanyProfile): FieldProblem[] =>
  checkCompany({ ...changesOf(now, base), ...(now.name === '' ? { name: '' } : {}) })

/** The form after a conflict: theirs, with what was typed here still over it. */
export const rebase = (typed: CompanyProfile, base: CompanyProfile, current: CompanyProfile): CompanyProfile => ({
  ...current,
  ...changesOf(typed, base),
})
