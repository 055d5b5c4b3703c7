import { lazy, Suspense, useState } from 'react'
import type { PriceRow } from '#contract/prices.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useConnection, useSignedInSession } from '#state/use-store.ts'
import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { buildHistoryPath } from '#ui/links/history-path.ts'
import { useTranslation } from 'react-i18next'
import { getReinstateBlockReason } from '#features/prices/price-list-state.ts'

const ReinstateDialog = lazy(async () => ({
  default: (await import('#features/prices/withdrawn/ReinstateDialog.tsx')).ReinstateDialog,
}))

interface Props {
  overlaidRow: OverlaidRow<PriceRow>
  lists: readonly PriceRow[] | undefined
  today: string
  onDone: () => void
}

/** What can be done with a withdrawn list: see who did what to it, and make it count again. */
export function WithdrawnActions({ overlaidRow, lists, today, onDone }: Props) {
  const { t } = useTranslation('prices')
  const { t: tUi } = useTranslation('ui')
  const { isSessionExpired, networkState: connection } = useConnection()
  const { caller } = useSignedInSession()
  const [isConfirming, setConfirming] = useState(false)
  const auditTrailPath = buildHistoryPath(
    { code: 'price', name: overlaidRow.row.effective_date, access: 'deleteLevel' },
    caller,
  )
  const disabledReason = isSessionExpired
    ? tUi('form.lapsed')
    : connection === 'online'
      ? getReinstateBlockReason(t, overlaidRow.row, lists ?? [], today)
      : t('needsConnection')
  return (
    <>
      {auditTrailPath !== null && (
        <ButtonLink to={auditTrailPath} icon="history">
          {t('act.history')}
        </ButtonLink>
      )}
      <Button kind="primary" disabledReason={disabledReason} onClick={() => setConfirming(true)}>
        {t('act.reinstate')}
      </Button>
      <Suspense fallback={null}>
        {isConfirming && <ReinstateDialog {...{ overlaidRow, today, onDone }} onClose={() => setConfirming(false)} />}
      </Suspense>
    </>
  )
}
