import '#ui/form/forms.css'
import type { FormEventHandler, ReactNode } from 'react'
import type { Problem } from '#contract/problem.ts'
import { Button } from '#ui/display/Button.tsx'
import { ErrorSummary } from '#ui/form/ErrorSummary.tsx'
import type { SendStatus } from '#ui/form/FormDrawer.tsx'
import { LeaveQuestion, useNavigationGuard } from '#ui/navigation-guard/navigation-guard.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'

export interface PageFormProps {
  status: SendStatus
  problem: Problem | null
  /** Title of the problem: "Update failed." (M50) */
  failureTitle: string | undefined
  submitLabel: string
  disabledReason?: string | null | undefined
  onSubmit: FormEventHandler<HTMLFormElement>
  /** Leaves the form without saving. Omitted if there is no page to return to. */
  onCancel?: (() => void) | undefined
  onUndo?: (() => void) | undefined
  /** Whether leaving would lose typed text (C-22). */
  isDirty: boolean
  children: ReactNode
}

/** A form that fills a page. Status and problem are required, as in the drawer. */
export function PageForm({
  status,
  problem,
  failureTitle,
  submitLabel,
  disabledReason,
  onSubmit,
  onCancel,
  onUndo,
  isDirty,
  children,
}: PageFormProps) {
  const { t } = useTranslation('ui')
  const { isLeaveQuestionOpen, guardAction, stay, leave } = useNavigationGuard(isDirty)
  return (
    <form className="card form page-form" noValidate onSubmit={onSubmit}>
      <ProblemNote problem={problem} title={failureTitle} shouldFocus />
      <ErrorSummary />
      {children}
      {isLeaveQuestionOpen ? (
        <LeaveQuestion onStay={stay} onLeave={leave} />
      ) : (
        <div className={isDirty ? 'page-form-acts unsaved' : 'page-form-acts'}>
          <Button kind="primary" type="submit" isBusy={status === 'sending'} disabledReason={disabledReason}>
            {submitLabel}
          </Button>
          {onCancel && <Button onClick={() => guardAction(onCancel)}>{t('form.cancel')}</Button>}
          {onUndo && (
            // The button stays visible after it was pressed, so that the focus is not lost.
            <Button onClick={onUndo} disabledReason={isDirty ? null : disabledReason}>
              {t('form.undo')}
            </Button>
          )}
        </div>
      )}
    </form>
  )
}
