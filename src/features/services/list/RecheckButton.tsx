import { useState } from 'react'
import { useDispatch } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { useOfflineReason } from '#features/services/useOfflineReason.ts'
import { recheckServicesNow } from '#features/services/slice.ts'

/** The staff's tool (D53): asks now whether the services answer, and says how many do. `companyId` null: everybody's. */
export function RecheckButton({ companyId, onDone }: { companyId: number | null; onDone: () => void }) {
  const { t } = useTranslation('services')
  const dispatch = useDispatch()
  const disabledReason = useOfflineReason()
  const [isBusy, setIsBusy] = useState(false)
  async function handleRecheck() {
    setIsBusy(true)
    const result = await dispatch(recheckServicesNow(companyId))
    setIsBusy(false)
    if (result.kind === 'problem')
      return showToast({ kind: 'failed', text: `${t('recheck.failed')} ${formatProblem(result.problem)}` })
    if (result.kind !== 'fresh') return
    const { checked, online } = result.output
    const text = t('recheck.done', { count: checked, number: formatNumber(checked), online: formatNumber(online) })
    showToast({ kind: 'done', text })
    onDone()
  }
  return (
    <Button icon="activity" isBusy={isBusy} disabledReason={disabledReason} onClick={() => void handleRecheck()}>
      {t('recheck.act')}
    </Button>
  )
}
