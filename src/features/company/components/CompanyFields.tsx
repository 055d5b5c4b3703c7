import type { FieldProblem } from '#domain/checks/field-checks.ts'
import {
  type CompanyField,
  type CompanyValues,
  getDialCode,
  joinTel,
  splitTel,
} from '#domain/accounts/company-fields.ts'
import { CompanyForm, type CompanyFieldName } from '#features/company/components/CompanyForm.tsx'
import { useProblemFormatter } from '#features/company/components/useProblemFormatter.ts'

export interface CompanyFieldsProps {
  values: CompanyValues
  problems: readonly FieldProblem[]
  onChange: (fields: Partial<CompanyValues>) => void
  onLeave: (field: CompanyField) => void
}

/** The form of a company that is not registered yet. The sign-up stores its values (portal 5). */
export function CompanyFields({ values, problems, onChange, onLeave }: CompanyFieldsProps) {
  const formatProblem = useProblemFormatter(values.code)
  const tel = splitTel(values.tel)

  function toValues(name: CompanyFieldName, value: string): Partial<CompanyValues> {
    if (name === 'dialCode' || name === 'number') return { tel: joinTel({ ...tel, [name]: value }) }
    if (name !== 'country') return { [name]: value }
    return { country: value, tel: joinTel({ ...tel, dialCode: getDialCode(value, tel.dialCode) }) }
  }

  const getFieldProps = (name: CompanyFieldName) => {
    const { [name as CompanyField]: text = '' } = values
    // Errors of the phone number are shown at the number field, except a missing dial code.
    const valueName = name === 'number' || name === 'dialCode' ? 'tel' : name
    const problem = problems.find(
      ({ field, code }) =>
        field === valueName && (valueName !== 'tel' || (code === 'DIAL_CODE_MISSING') === (name === 'dialCode')),
    )
    return {
      name,
      value: name === 'dialCode' || name === 'number' ? tel[name] : text,
      error: problem && formatProblem(problem),
      onChange: ({ target: { value } }: { target: { value: string } }) => onChange(toValues(name, value)),
      onBlur: () => onLeave(valueName),
    }
  }
  return <CompanyForm values={values} getFieldProps={getFieldProps} />
}
