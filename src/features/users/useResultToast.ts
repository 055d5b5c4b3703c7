import type { UserAction } from '#domain/accounts/users.ts'
import type { CallResult } from '#request/call-results.ts'
import { showToast, type ToastMessage } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { formatQueuedMessage } from '#ui/i18n/queued-messages.ts'

/** Says how an action on a user ended (portal 8: "{action} successfully.", "{action} failed."). */
export function useResultToast() {
  const { t } = useTranslation('users')
  const { t: tUi } = useTranslation('ui')
  return (userAction: UserAction, result: CallResult<unknown>, undo?: ToastMessage['action']) => {
    const action = t(`action.${userAction}`)
    if (result.kind === 'queued') showToast({ kind: 'note', text: formatQueuedMessage(result) })
    else if (result.kind === 'problem') {
      const reason = formatProblem(result.problem)
      showToast({
        kind: 'failed',
        text: t('toast.failedWhy', { failed: tUi('message.failed', { action }), reason }),
      })
    } else showToast({ kind: 'done', text: tUi('message.done', { action }), ...(undo ? { action: undo } : {}) })
  }
}
