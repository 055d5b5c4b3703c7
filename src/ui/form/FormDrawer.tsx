import { type FormEventHandler, type ReactNode, useId } from 'react'
import type { Problem } from '#contract/problem.ts'
import { Button } from '#ui/display/Button.tsx'
import { ErrorSummary } from '#ui/form/ErrorSummary.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { LeaveQuestion, useHeldSteps } from '#ui/navigation-guard/NavigationGuard.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'

/** Where an asking stands. */
export type SendStatus = 'idle' | 'sending' | 'queued' | 'failed'

export interface FormDrawerProps {
  open: boolean
  title: string
  status: SendStatus
  problem: Problem | null
  /** What to say before the problem: "Update failed." (M50) */
  failed?: string | undefined
  /** What pressing it will do: "Create user", not "OK". */
  submit: string
  whyNot?: string | null | undefined
  /** `handleSubmit(…)` of react-hook-form. */
  onSubmit: FormEventHandler<HTMLFormElement>
  onClose: () => void
  /** Whether something was typed that closing would lose (C-22). */
  dirty: boolean
  children: ReactNode
}

/** A small edit at the right of what it is about. Demands status and problem, so that neither is forgotten. */
export function FormDrawer(props: FormDrawerProps) {
  return props.open ? <Opened {...props} /> : null
}

function Opened({
  title,
  status,
  problem,
  failed,
  submit,
  whyNot,
  onSubmit,
  onClose,
  dirty,
  children,
}: FormDrawerProps) {
  const form = useId()
  const [leaving, setLeaving] = useHeldSteps(dirty)
  const close = () => (dirty && status !== 'sending' ? setLeaving({ go: onClose }) : onClose())
  const act = (
    <Button kind="primary" type="submit" form={form} busy={status === 'sending'} whyNot={whyNot}>
      {submit}
    </Button>
  )
  const question = leaving && <LeaveQuestion onStay={() => setLeaving(null)} onLeave={onClose} />
  return (
    <Dialog open side="right" title={title} onClose={close} act={act} question={question}>
      <form id={form} className="form" noValidate onSubmit={onSubmit}>
        <ProblemNote problem={problem} title={failed} focus />
        <ErrorSummary />
        {children}
      </form>
    </Dialog>
  )
}
