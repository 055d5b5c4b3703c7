import { showResultToast } from '#patterns/action-toast.ts'
import type { CallResult } from '#request/call-results.ts'
import { i18n } from '#ui/i18n/messages.ts'

export const showOrderToast = (action: string, result: CallResult<unknown>): void =>
  showResultToast(action, result, (texts) => i18n.t('toast.failedWhy', { ns: 'orders', ...texts }))
