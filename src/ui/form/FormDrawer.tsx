import { type FormEventHandler, type ReactNode, useId } from 'react'
import type { Problem } from '#contract/problem.ts'
import { Button } from '#ui/display/Button.tsx'
import { ErrorSummary } from '#ui/form/ErrorSummary.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { LeaveQuestion, useHistoryGuard } from '#ui/navigation-guard/navigation-guard.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'

/** Where an asking stands. */
export type SendStatus = 'idle' | 'sending' | 'queued' | 'failed'

export interface FormDrawerProps {
  open: boolean
  title: string
  status: SendStatus
  problem: Problem | null
  /** What to say before the problem: "Update failed." (M50) */
  failureTitle?: string | undefined
  /** What pressing it will do: "Create user", not "OK". */
  submitLabel: string
  disabledReason?: string | null | undefined
  /** The submit handler of the caller's form. */
  onSubmit: FormEventHandler<HTMLFormElement>
  onClose: () => void
  /** `center`: a dialog in the middle in place of a drawer. */
  side?: 'center' | 'right'
  /** Label of the button that closes it; "Cancel" without one. */
  cancel?: string | undefined
  /** Whether something was typed that closing would lose (C-22). */
  isDirty: boolean
  children: ReactNode
}

/** A small edit at the right of what it is about. Demands status and problem, so that neither is forgotten. */
export function FormDrawer(props: FormDrawerProps) {
  return props.open ? <OpenFormDrawer {...props} /> : null
}

function OpenFormDrawer({
  title,
  status,
  problem,
  failureTitle,
  submitLabel,
  disabledReason,
  onSubmit,
  onClose,
  side = 'right',
  cancel,
  isDirty,
  children,
}: FormDrawerProps) {
  const formId = useId()
  const [pendingStep, setPendingStep] = useHistoryGuard(isDirty)
  const close = () => (isDirty && status !== 'sending' ? setPendingStep({ go: onClose }) : onClose())
  const submitButton = (
    <Button kind="primary" type="submit" form={formId} isBusy={status === 'sending'} disabledReason={disabledReason}>
      {submitLabel}
    </Button>
  )
  const question = pendingStep && <LeaveQuestion onStay={() => setPendingStep(null)} onLeave={onClose} />
  return (
    <Dialog open {...{ side, title, cancel, question }} onClose={close} action={submitButton}>
      <form id={formId} className="form" noValidate onSubmit={onSubmit}>
        <ProblemNote problem={problem} title={failureTitle} shouldFocus />
        <ErrorSummary />
        {children}
      </form>
    </Dialog>
  )
}
