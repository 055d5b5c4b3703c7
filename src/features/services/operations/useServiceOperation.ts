import type { Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { ServiceRow } from '#contract/services.ts'
import { useLongRequest } from '#state/use-long-request.ts'
import { useTranslation } from 'react-i18next'
import { showToast } from '#ui/overlay/toasts.tsx'
import { formatFailure } from '#features/services/format-failure.ts'
import { startServiceOperation, type ServiceOperationRequest } from '#features/services/slice.ts'

interface ServiceOperationOptions {
  row: Pick<ServiceRow, 'code'>
  /** The server has taken it: its dialog can go. */
  onStarted: () => void
  /** It came to a good end while its page stood. */
  onDone?: (operation: ServiceOperationRequest, intent: Intent) => void
  /** It came to nothing. Returns true where its dialog shows why. */
  onRefused?: (problem: Problem, operation: ServiceOperationRequest) => boolean
}

/** One act on a running system; what it comes to is told at the edge of the window. */
export function useServiceOperation({ row, onStarted, onDone, onRefused }: ServiceOperationOptions) {
  const { t } = useTranslation('services')
  return useLongRequest<ServiceOperationRequest>(
    (operation, intent) => startServiceOperation(operation, intent, onStarted),
    (result, operation, intent) => {
      if (result.kind === 'problem' && onRefused?.(result.problem, operation)) return
      if (result.kind === 'problem')
        return showToast({
          kind: 'failed',
          text: formatFailure(row.code, t(`failed.${operation.kind}`), result.problem),
        })
      showToast({ kind: 'done', text: t('done.of', { code: row.code, text: t(`done.${operation.kind}`) }) })
      onDone?.(operation, intent)
    },
  )
}
