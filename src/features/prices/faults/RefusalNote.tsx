import { getFieldProblems, type Problem } from '#contract/problem.ts'
import type { AnyFieldProblem } from '#ui/i18n/order-field-messages.ts'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { getFaultText } from '#features/prices/faults/fault-text.ts'
import { useSettings } from '#patterns/useSettings.ts'

interface Props {
  problem: Problem | null
  refusedText: string
  failureTitle: string
}

export function RefusalNote({ problem, refusedText, failureTitle }: Props) {
  const faults = problem ? (getFieldProblems(problem) as AnyFieldProblem[]) : []
  if (faults.length === 0) return <ProblemNote problem={problem} title={failureTitle} />
  return (
    <div className="price-warning" role="alert">
      <div>
        <p>{refusedText}</p>
        <FaultList faults={faults} />
      </div>
    </div>
  )
}

function FaultList({ faults }: { faults: readonly AnyFieldProblem[] }) {
  const { t } = useTranslation('prices')
  const uatBound = useSettings()?.uat_bound
  return (
    <ul className="price-faults">
      {faults.map((fault) => (
        <li key={`${fault.field} ${fault.code}`}>{getFaultText(t, fault, uatBound)}</li>
      ))}
    </ul>
  )
}
