import type { companyRow } from '#contract/accounts.ts'
import type { VersionedRow } from '#contract/endpoint.ts'
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
import { rebaseValues } from '#patterns/edit-form/form-values.ts'
import type { z } from 'zod/mini'

export type CompanyRow = Omit<z.output<typeof companyRow>, 'id'> & VersionedRow

/** Values of the inputs. Inputs and select boxes hold text; the telephone number has two of them. */
export type CompanyFormValues = Record<Exclude<ProfileField, 'tel'>, string> & { dialCode: string; number: string }

export function toValues(row: CompanyRow): CompanyFormValues {
  const { dialCode, number } = splitTel(row.tel)
  // A row stored by an earlier build may lack a field.
  const texts = Object.fromEntries(
    profileFields.filter((field) => field !== 'tel').map((field) => [field, row[field] ?? '']),
  )
  return {
    ...(texts as Omit<CompanyFormValues, 'dialCode' | 'number'>),
    dialCode: dialCode || (row.country ? dialCodes[row.country] : ''),
    number,
  }
}

export function fromValues({ dialCode, number, ...values }: CompanyFormValues): CompanyProfile {
  const profile = Object.fromEntries(Object.entries(values).map(([field, text]) => [field, cleanText(text) || null]))
  return {
    ...(profile as unknown as CompanyProfile),
    name: cleanText(values.name),
    country: countries.find((country) => country === values.country) ?? null,
    // A dial code alone is not a telephone number.
    tel: number.trim() === '' ? null : joinTel({ dialCode: dialCode.trim(), number: number.trim() }),
  }
}

/**
 * Returns the current values of a company that somebody else changed, with the typed changes applied. Dial code and number are one
 * telephone number: both come from the form if either was changed there, otherwise both are the current ones.
 */
export function rebaseCompany(
  values: CompanyFormValues,
  baseValues: CompanyFormValues,
  currentValues: CompanyFormValues,
): CompanyFormValues {
  const rebasedValues = rebaseValues(values, baseValues, currentValues)
  if (fromValues(values).tel !== fromValues(baseValues).tel)
    return { ...rebasedValues, dialCode: values.dialCode, number: values.number }
  // Without a number the dial code is only a suggestion that follows the selected country.
  if (currentValues.number === '') return rebasedValues
  return { ...rebasedValues, dialCode: currentValues.dialCode, number: currentValues.number }
}

/** Only changes are checked, as on the server: an old value that is no longer valid does not prevent other changes. */
export const checkChanges = ({ name }: CompanyProfile, changes: Partial<CompanyProfile>): FieldProblem[] =>
  checkCompany({ ...changes, ...(name === '' ? { name } : {}) })
