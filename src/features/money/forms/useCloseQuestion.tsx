import type { ReactNode } from 'react'
import { LeaveQuestion, useHistoryGuard } from '#ui/navigation-guard/navigation-guard.tsx'
import type { MoneyForm } from '#features/money/forms/useMoneyForm.ts'

/** Closes a dialog. `hasFailed`: the page reads again, because a refusal says that what it displays is old. */
export type CloseForm = (hasFailed: boolean) => void

interface CloseQuestion {
  onClose: () => void
  question: ReactNode
}

/** Asks before a dialog with typed values is closed, as a drawer does (C-22). Returns properties of the dialog. */
export function useCloseQuestion<F extends string>(
  { isDirty, isBusy, hasFailed }: Pick<MoneyForm<F>, 'isDirty' | 'isBusy' | 'hasFailed'>,
  onClose: CloseForm,
): CloseQuestion {
  const close = () => onClose(hasFailed)
  const [pendingStep, setPendingStep] = useHistoryGuard(isDirty)
  return {
    onClose: () => (isDirty && !isBusy ? setPendingStep({ go: close }) : close()),
    question: pendingStep && <LeaveQuestion onStay={() => setPendingStep(null)} onLeave={close} />,
  }
}
