import { isOffline, type Problem } from '#contract/problem.ts'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Note } from '#features/accounts/components/Note.tsx'

interface FormProblemProps {
  problem: Problem | null
  /** Shown instead of the problem if there is no connection. */
  offlineText: string
  /** Shows `offlineText` even before the form is sent. */
  isConnectionLost?: boolean
  isAtField?: boolean
  title?: string
  shouldFocus?: boolean
}

export function FormProblem({
  problem,
  offlineText,
  isConnectionLost = false,
  isAtField = false,
  ...noteProps
}: FormProblemProps) {
  if (isOffline(problem) || (isConnectionLost && !problem)) return <Note kind="pending">{offlineText}</Note>
  return <ProblemNote problem={isAtField ? null : problem} {...noteProps} />
}
