import type { TFunction } from 'i18next'
import { parsePriceFault } from '#domain/checks/price-file-checks.ts'
import { type AnyFieldProblem, formatOrderFieldProblem } from '#ui/i18n/order-field-messages.ts'

export function getFileFaultText(t: TFunction<'prices'>, problem: AnyFieldProblem): string {
  const fault = problem.code === 'BAD_ARCHIVE' && problem.named !== undefined ? parsePriceFault(problem.named) : null
  return fault
    ? t(`fault.${fault.code}`, { named: fault.subject ?? '' })
    : formatOrderFieldProblem(problem, t('import.file'))
}
