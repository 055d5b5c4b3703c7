import { getFieldProblems, type Problem } from '#contract/problem.ts'
import { useTranslation } from 'react-i18next'
import { formatFieldProblem } from '#ui/i18n/problem-messages.ts'
import { useFieldFormatter } from '#features/outbox/entry-messages.ts'

const maxLines = 8

/** Returns a function that reads the details of a refusal: each field with its problem, or the rows that prevent the action. */
export function useRefusalLines(): (table: string, problem: Problem | null) => Promise<string[]> {
  const { t } = useTranslation('outbox')
  const getFieldFormatter = useFieldFormatter()
  return async (table, problem) => {
    if (!problem) return []
    const fields = getFieldProblems(problem)
    // Not every device stores these messages. Without them, the general names of fields are used.
    const orderMessages =
      fields.length > 0 ? await import(/* chunk: common */ '#ui/i18n/order-field-messages.ts').catch(() => null) : null
    const lines = fields.map((fieldProblem) => {
      // For a part of a price list, such as `module.3.code`, the name of the part is used.
      const field = getFieldFormatter(table).formatField(fieldProblem.field.split('.')[0] ?? fieldProblem.field)
      return t('set', {
        field,
        to: orderMessages?.formatOrderFieldProblem(fieldProblem, field) ?? formatFieldProblem(fieldProblem, field),
      })
    })
    const allLines = [...new Set([...lines, ...buildConflictLines(problem)])]
    return allLines.length > maxLines
      ? [...allLines.slice(0, maxLines), t('refusal.more', { count: allLines.length - maxLines })]
      : allLines
  }

  function buildConflictLines({ code, data }: Problem): string[] {
    const facts = code === 'STATE_CONFLICT' ? (data as ConflictDetails | null) : null
    if (facts?.why === 'priced') return [t('refusal.priced', { dates: (facts.effective_dates ?? []).join(t('and')) })]
    if (facts?.why !== 'dependents') return []
    const names = [...(facts.visible ?? []), ...(facts.hidden ?? [])].map(({ name }) => name)
    return [t('refusal.dependents', { names: names.join(t('and')) })]
  }
}

interface ConflictDetails {
  why?: unknown
  effective_dates?: string[]
  visible?: { name: string }[]
  hidden?: { name: string }[]
}
