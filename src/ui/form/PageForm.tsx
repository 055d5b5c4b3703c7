import '#ui/form/forms.css'
import type { FormEventHandler, ReactNode } from 'react'
import type { Problem } from '#contract/problem.ts'
import { Button } from '#ui/display/Button.tsx'
import { ErrorSummary } from '#ui/form/ErrorSummary.tsx'
import type { SendStatus } from '#ui/form/FormDrawer.tsx'
import { LeaveQuestion, useHeldWay } from '#ui/navigation-guard/NavigationGuard.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'

export interface PageFormProps {
  status: SendStatus
  problem: Problem | null
  /** What to say before the problem: "Update failed." (M50) */
  failed: string | undefined
  /** What pressing it will do. */
  submit: string
  whyNot?: string | null | undefined
  /** `handleSubmit(…)` of react-hook-form. */
  onSubmit: FormEventHandler<HTMLFormElement>
  /** Leaves the form as it was; none where there is nothing to go back to. */
  onCancel?: (() => void) | undefined
  /** Whether something was typed that leaving would lose (C-22). */
  dirty: boolean
  children: ReactNode
}

/** A form that is its page. Demands status and problem, as the drawer does. */
export function PageForm({
  status,
  problem,
  failed,
  submit,
  whyNot,
  onSubmit,
  onCancel,
  dirty,
  children,
}: PageFormProps) {
  const { t } = useTranslation('ui')
  const { isAsked, hold, stay, leave } = useHeldWay(dirty)
  return (
    <form className="card form page-form" noValidate onSubmit={onSubmit}>
      <ProblemNote problem={problem} title={failed} focus />
      <ErrorSummary />
      {children}
      {isAsked ? (
        <LeaveQuestion onStay={stay} onLeave={leave} />
      ) : (
        <div className="page-form-acts">
          <Button kind="primary" type="submit" busy={status === 'sending'} whyNot={whyNot}>
            {submit}
          </Button>
          {onCancel && <Button onClick={() => hold(onCancel)}>{t('form.cancel')}</Button>}
        </div>
      )}
    </form>
  )
}
