import { lazy, Suspense, useState } from 'react'
import type { PriceRow } from '#contract/prices.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useConnection, useSignedIn } from '#state/hooks.ts'
import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { historyPath } from '#ui/links/history-path.ts'
import { useTranslation } from 'react-i18next'
import { whyNotReinstate } from '#features/prices/in-force.ts'

const ReinstateDialog = lazy(async () => ({
  default: (await import('#features/prices/withdrawn/ReinstateDialog.tsx')).ReinstateDialog,
}))

interface Props {
  opened: OverlaidRow<PriceRow>
  lists: readonly PriceRow[] | undefined
  today: string
  onDone: () => void
}

/** What can be done with a withdrawn list: see who did what to it, and make it count again. */
export function WithdrawnActions({ opened, lists, today, onDone }: Props) {
  const { t } = useTranslation('prices')
  const { t: words } = useTranslation('ui')
  const { lapsed, line } = useConnection()
  const { caller } = useSignedIn()
  const [isAsking, setAsking] = useState(false)
  const history = historyPath({ code: 'price', name: opened.row.effective_date, who: 'deleteLevel' }, caller)
  const whyNot = lapsed
    ? words('form.lapsed')
    : line === 'online'
      ? whyNotReinstate(t, opened.row, lists ?? [], today)
      : t('needsConnection')
  return (
    <>
      {history !== null && (
        <ButtonLink to={history} icon="history">
          {t('act.history')}
        </ButtonLink>
      )}
      <Button kind="primary" whyNot={whyNot} onClick={() => setAsking(true)}>
        {t('act.reinstate')}
      </Button>
      <Suspense fallback={null}>
        {isAsking && <ReinstateDialog {...{ opened, today, onDone }} onClose={() => setAsking(false)} />}
      </Suspense>
    </>
  )
}
