import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { profileFields } from '#domain/accounts/company-fields.ts'
import { useTranslation } from 'react-i18next'
import { formatFieldProblem } from '#ui/i18n/problem-messages.ts'

/**
 * Returns a function that formats problems of a company's fields. The sign-up and the profile use the same messages of the specification
 * (portal 5).
 */
export function useProblemFormatter(code: string) {
  const { t } = useTranslation('company')
  const { t: fieldMessages } = useTranslation('fields')
  return ({ field, ...problem }: FieldProblem): string => {
    if (field === 'name' && problem.code === 'REQUIRED') return t('form.nameRequired')
    if (field === 'tel' && problem.code === 'INVALID_TEL') return t('telInvalid')
    if (field === 'tax_number' && problem.code === 'INVALID_FORMAT') return t('taxInvalid')
    if (problem.code === 'RESERVED' || problem.code === 'DUPLICATE') return fieldMessages(problem.code, { code })
    return formatFieldProblem(problem, isField(field) ? t(`form.${field}`) : field)
  }
}

const fieldNames = ['code', ...profileFields] as const
const isField = (name: string): name is (typeof fieldNames)[number] => fieldNames.some((field) => field === name)
