import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '#ui/display/Button.tsx'
import type { PageFormProps } from '#ui/form/PageForm.tsx'
import { LeaveQuestion, useNavigationGuard } from '#ui/navigation-guard/navigation-guard.tsx'

interface Props extends Pick<PageFormProps, 'status' | 'submitLabel' | 'disabledReason' | 'isDirty'> {
  formId: string
  /** Null for a new list, all of which is new. */
  changeCount: number | null
  /** Confirmed lists are mostly read, so the bar is shown only while there are changes. */
  isHiddenUnchanged: boolean
  onCancel: () => void
  /** The button that confirms the list. */
  children: ReactNode
}

/** Bar at the bottom of the window: the number of changes, Save, Confirm and Cancel. It also asks before typed values are lost. */
export function EditorBar({
  formId,
  status,
  submitLabel,
  disabledReason,
  isDirty,
  changeCount,
  isHiddenUnchanged,
  onCancel,
  children,
}: Props) {
  const { t } = useTranslation('prices')
  const { t: tUi } = useTranslation('ui')
  const { isLeaveQuestionOpen, guardAction, stay, leave } = useNavigationGuard(isDirty)
  if (isHiddenUnchanged && !isDirty) return null
  return (
    <div className={`price-save-bar${isDirty ? ' changed' : ''}`} role="group" aria-label={t('change.bar')}>
      {isLeaveQuestionOpen ? (
        <LeaveQuestion onStay={stay} onLeave={leave} />
      ) : (
        <>
          <p role="status">
            {changeCount === null
              ? t('change.unsaved')
              : changeCount === 0
                ? t('change.none')
                : t('change.counted', { count: changeCount })}
          </p>
          <Button
            kind="primary"
            type="submit"
            form={formId}
            isBusy={status === 'sending'}
            disabledReason={disabledReason}
          >
            {submitLabel}
          </Button>
          {children}
          <span className="price-save-cancel">
            <Button onClick={() => guardAction(onCancel)}>{tUi('form.cancel')}</Button>
          </span>
        </>
      )}
    </div>
  )
}
