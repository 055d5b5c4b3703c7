import type { UserAction } from '#domain/accounts/users.ts'
import { showResultToast } from '#patterns/action-toast.ts'
import type { CallResult } from '#request/call-results.ts'
import type { ToastMessage } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'

export function useResultToast() {
  const { t } = useTranslation('users')
  return (action: UserAction, result: CallResult<unknown>, undo?: ToastMessage['action']) =>
    showResultToast(t(`action.${action}`), result, (texts) => t('toast.failedWhy', texts), undo)
}
