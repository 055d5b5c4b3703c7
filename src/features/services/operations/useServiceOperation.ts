import type { Intent } from '#contract/endpoint.ts'
import type { ServiceRow } from '#contract/services.ts'
import { useAction } from '#state/use-action.ts'
import { useDispatch } from '#state/use-store.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { formatFailure } from '#features/services/format-failure.ts'
import { callServiceOperation, dismissJob, type ServiceOperationRequest } from '#features/services/slice.ts'

interface ServiceOperationOptions {
  row: Pick<ServiceRow, 'code'>
  /** Called when the server has accepted the request, so that the dialog can close. */
  onStarted: () => void
  onDone?: (operation: ServiceOperationRequest, intent: Intent) => void
}

export function useServiceOperation({ row: { code }, onStarted, onDone }: ServiceOperationOptions) {
  const { t } = useTranslation('services')
  const dispatch = useDispatch()
  return useAction(callServiceOperation, {
    onStarted,
    async onEnd(result, operation, intent) {
      // Restoring a removed service creates no new password, so its job is removed from the list of tasks.
      if (operation.kind === 'create' && operation.hasData) await dispatch(dismissJob(intent))
      if (result.kind === 'problem')
        return showToast({ kind: 'failed', text: formatFailure(code, t(`failed.${operation.kind}`), result.problem) })
      showToast({ kind: 'done', text: t('done.of', { code, text: t(`done.${operation.kind}`) }) })
      onDone?.(operation, intent)
    },
  })
}
