import type { Problem } from '#contract/problem.ts'
import { Button, type ButtonProps } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import type { DialogProps } from '#ui/prime/Dialog.tsx'

type ActionDialogProps = Omit<DialogProps, 'open' | 'action'> &
  Pick<ButtonProps, 'kind' | 'isBusy' | 'disabledReason'> & {
    actionLabel: string
    onAction: () => void
    /** Problem of the action, shown above the children. `problemTitle` names the failed action. */
    problem?: Problem | null
    problemTitle?: string
    contentClass?: string
  }

export function ActionDialog({
  kind = 'primary',
  isBusy = false,
  disabledReason,
  actionLabel,
  onAction,
  problem = null,
  problemTitle,
  contentClass = 'form',
  children,
  ...dialogProps
}: ActionDialogProps) {
  const actionButton = (
    <Button {...{ kind, isBusy, disabledReason }} onClick={() => onAction()}>
      {actionLabel}
    </Button>
  )
  return (
    <Dialog open {...dialogProps} action={actionButton}>
      <div className={contentClass}>
        <ProblemNote problem={problem} title={problemTitle} shouldFocus />
        {children}
      </div>
    </Dialog>
  )
}
