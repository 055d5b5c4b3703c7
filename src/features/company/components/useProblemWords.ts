import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { profileFields } from '#domain/accounts/companies.ts'
import { useTranslation } from 'react-i18next'
import { fieldWords } from '#ui/i18n/problem-messages.ts'

/** The words of the specification for a company's fields, at the sign-up and on its profile alike (portal 5). */
export function useProblemWords(code: string) {
  const { t } = useTranslation('company')
  const { t: words } = useTranslation('fields')
  return ({ field, ...problem }: FieldProblem): string => {
    if (field === 'name' && problem.code === 'REQUIRED') return t('form.nameRequired')
    if (field === 'tel' && problem.code === 'INVALID_TEL') return t('telInvalid')
    if (field === 'tax_number' && problem.code === 'INVALID_FORMAT') return t('taxInvalid')
    if (problem.code === 'RESERVED' || problem.code === 'DUPLICATE') return words(problem.code, { code })
    return fieldWords(problem, isField(field) ? t(`form.${field}`) : field)
  }
}

const named = ['code', ...profileFields] as const
const isField = (name: string): name is (typeof named)[number] => named.some((field) => field === name)
