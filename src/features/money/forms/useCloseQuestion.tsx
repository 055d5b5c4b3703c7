import type { ReactNode } from 'react'
import { LeaveQuestion, useHistoryGuard } from '#ui/navigation-guard/navigation-guard.tsx'
import type { MoneyForm } from '#features/money/forms/useMoneyForm.ts'

interface CloseQuestion {
  onClose: () => void
  question: ReactNode
}

/** Asks before a dialog with typed values is closed, as a drawer does (C-22). Returns properties of the dialog. */
export function useCloseQuestion<F extends string>(
  { isDirty, isBusy }: Pick<MoneyForm<F>, 'isDirty' | 'isBusy'>,
  onClose: () => void,
): CloseQuestion {
  const [pendingStep, setPendingStep] = useHistoryGuard(isDirty)
  return {
    onClose: () => (isDirty && !isBusy ? setPendingStep({ go: onClose }) : onClose()),
    question: pendingStep && <LeaveQuestion onStay={() => setPendingStep(null)} onLeave={onClose} />,
  }
}
