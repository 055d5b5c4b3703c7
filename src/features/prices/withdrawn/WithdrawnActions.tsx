import { lazy, Suspense, useState } from 'react'
import type { PriceRow } from '#contract/prices.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import { buildPriceListHistoryPath } from '#features/prices/paths.ts'
import { useReinstateReason } from '#features/prices/withdrawn/useReinstateReason.ts'

const ReinstateDialog = lazy(async () => ({
  default: (await import('#features/prices/withdrawn/ReinstateDialog.tsx')).ReinstateDialog,
}))

interface Props {
  overlaidRow: OverlaidRow<PriceRow>
  lists: readonly PriceRow[] | undefined
  today: string
  onDone: () => void
}

export function WithdrawnActions({ overlaidRow, lists, today, onDone }: Props) {
  const { t } = useTranslation('prices')
  const { caller } = useSignedInSession()
  const getReinstateReason = useReinstateReason(lists, today)
  const [isConfirming, setConfirming] = useState(false)
  const historyPath = buildPriceListHistoryPath(overlaidRow.row, caller)
  return (
    <>
      {historyPath !== null && (
        <ButtonLink to={historyPath} icon="history">
          {t('act.history')}
        </ButtonLink>
      )}
      <Button kind="primary" disabledReason={getReinstateReason(overlaidRow.row)} onClick={() => setConfirming(true)}>
        {t('act.reinstate')}
      </Button>
      <Suspense fallback={null}>
        {isConfirming && <ReinstateDialog {...{ overlaidRow, today, onDone }} onClose={() => setConfirming(false)} />}
      </Suspense>
    </>
  )
}
