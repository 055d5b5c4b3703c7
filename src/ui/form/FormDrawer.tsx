import { type FormEventHandler, type ReactNode, useId } from 'react'
import type { Problem } from '#contract/problem.ts'
import { Button } from '#ui/display/Button.tsx'
import { ErrorSummary } from '#ui/form/ErrorSummary.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { LeaveQuestion, useHistoryGuard } from '#ui/navigation-guard/navigation-guard.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'

export type SendStatus = 'idle' | 'sending' | 'queued' | 'failed'

export interface FormDrawerProps {
  open: boolean
  title: string
  titleTag?: ReactNode
  status: SendStatus
  problem: Problem | null
  /** Title of the problem: "Update failed." (M50) */
  failureTitle?: string | undefined
  /** Label of the submit button. It names the action: "Create user", not "OK". */
  submitLabel: string
  disabledReason?: string | null | undefined
  onSubmit: FormEventHandler<HTMLFormElement>
  onClose: () => void
  side?: 'center' | 'right'
  cancel?: string | undefined
  /** Whether closing would lose typed text (C-22). */
  isDirty: boolean
  children: ReactNode
}

/** A small form in a drawer. Status and problem are required, so that they cannot be forgotten. */
export function FormDrawer(props: FormDrawerProps) {
  return props.open ? <OpenFormDrawer {...props} /> : null
}

function OpenFormDrawer({
  title,
  titleTag,
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
    <Dialog open {...{ side, title, titleTag, cancel, question }} onClose={close} action={submitButton}>
      <form id={formId} className="form" noValidate onSubmit={onSubmit}>
        <ProblemNote problem={problem} title={failureTitle} shouldFocus />
        <ErrorSummary />
        {children}
      </form>
    </Dialog>
  )
}
