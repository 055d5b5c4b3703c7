import { findRefusalReason, type Problem } from '#contract/problem.ts'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'

const reasons = [
  'paidAlready',
  'anotherAmount',
  'anotherCurrency',
  'newerOrder',
  'codeTaken',
  'contractEnded',
  'serviceGone',
  'noGateway',
  'disputed',
  'refunding',
  'refunded',
  'applied',
] as const

export function TaskProblem({ problem }: { problem: Problem | null }) {
  const { t } = useTranslation('payment-tasks')
  const reason = problem?.code === 'STATE_CONFLICT' && findRefusalReason(problem, reasons)
  if (!reason) return <ProblemNote problem={problem} shouldFocus />
  return (
    <p className="field-error" role="alert">
      {t(`why.${reason}`)}
    </p>
  )
}
