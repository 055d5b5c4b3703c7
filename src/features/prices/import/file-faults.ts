/** Why a file is no price list that can be taken, in words. */
import type { TFunction } from 'i18next'
import { priceFaultInWord } from '#domain/checks/price-file-checks.ts'
import { type AnyProblem, orderFieldWords } from '#ui/i18n/order-field-messages.ts'

export function fileFaultWords(t: TFunction<'prices'>, problem: AnyProblem): string {
  const fault = problem.code === 'BAD_ARCHIVE' && problem.named !== undefined ? priceFaultInWord(problem.named) : null
  return fault ? t(`fault.${fault.code}`, { named: fault.named ?? '' }) : orderFieldWords(problem, t('import.file'))
}
