import { isOffline, type Problem } from '#contract/problem.ts'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Note } from '#features/accounts/components/Note.tsx'

interface FormProblemProps {
  problem: Problem | null
  /** In place of the problem without a connection. */
  offlineText: string
  /** Says so before the form is sent. */
  isConnectionLost?: boolean
  /** A field already shows the problem. */
  isAtField?: boolean
  title?: string
  shouldFocus?: boolean
}

/** Why a form was not sent, or cannot be. */
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
