import { memo, useMemo } from 'react'
import type { ClientType } from '#domain/access.ts'
import { useOfflineReason } from '#patterns/useOfflineReason.ts'
import { useDispatch, useSelector } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { useLatestCallback } from '#ui/display/useLatestCallback.ts'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { ProgressBar } from '#ui/page/ProgressBar.tsx'
import { useTranslation } from 'react-i18next'
import type { ShowFee } from '#features/prices/rehearsal/annual-fee.ts'
import { readRunningRehearsal, rehearse, selectRehearsal } from '#features/prices/rehearsal/rehearsal-slice.ts'
import { rehearsalHeadingId } from '#features/prices/sections/heading-ids.ts'
import { RehearsalResult } from '#features/prices/rehearsal/RehearsalResult.tsx'
import type { PriceFormResult, SentList } from '#features/prices/sent-list.ts'

interface Props {
  rehearsal: ReturnType<typeof useRehearsal>
  namesByCode: ReadonlyMap<string, string>
  ShowFee: ShowFee
  typedList: PriceFormResult
}

const toListKey = (type: ClientType, list: SentList) => JSON.stringify([type, list])

/** Shows how the list would change the price of today's contracts at renewal. After that, the list can be confirmed. */
export const RehearsalPanel = memo(function RehearsalPanel(props: Props) {
  const { rehearsal, namesByCode, ShowFee, typedList } = props
  const { t } = useTranslation('prices')
  const offlineReason = useOfflineReason(t('rehearsal.offline'))
  const { isBusy, percent, problem, result, isStale, start } = rehearsal
  return (
    <section className="card price-rehearsal" aria-labelledby={rehearsalHeadingId}>
      <h2 id={rehearsalHeadingId} tabIndex={-1}>
        {t('rehearsal.title')}
      </h2>
      <p>{t('rehearsal.lead')}</p>
      <ProblemNote problem={problem} title={t('rehearsal.failed')} onRetry={start} />
      {isBusy && <RehearsalProgress percent={percent} />}
      <div className="page-form-acts">
        <Button isBusy={isBusy} disabledReason={offlineReason} onClick={start}>
          {t(result ? 'rehearsal.again' : 'rehearsal.act')}
        </Button>
      </div>
      <div role="status">
        {isStale && <p className="price-note">{t('rehearsal.stale')}</p>}
        {result && <p className="sr-only">{t('rehearsal.done', { count: result.contracts })}</p>}
      </div>
      {result && <RehearsalResult {...{ result, namesByCode, ShowFee }} list={typedList.list} />}
    </section>
  )
})

/** The latest trial run, as far as it is of the list as typed. */
export function useRehearsal(type: ClientType, typedList: PriceFormResult, readValidList: () => SentList | null) {
  const dispatch = useDispatch()
  const listKey = useMemo(() => toListKey(type, typedList.list), [type, typedList])
  const { isRunning, problem, latestResult } = useSelector(selectRehearsal)
  const runningRehearsal = useLiveQuery(readRunningRehearsal, [])
  const isBusy = isRunning || Boolean(runningRehearsal)
  const percent = runningRehearsal?.percent ?? 0
  const result = latestResult?.listKey === listKey ? latestResult.result : null
  const isStale = latestResult !== null && result === null && !isBusy
  /** Shows the problems of the form instead if it has any. */
  const start = useLatestCallback(() => {
    const list = readValidList()
    if (list) void dispatch(rehearse({ listKey: toListKey(type, list), list: { type, ...list } }))
  })
  // Memoised, so that typing does not render the panel again. `result` is null if the list was changed since the rehearsal.
  return useMemo(
    () => ({ isBusy, percent, problem, result, isStale, start }),
    [isBusy, percent, problem, result, isStale, start],
  )
}

function RehearsalProgress({ percent }: { percent: number }) {
  const { t } = useTranslation('prices')
  const text = t('rehearsal.percent', { percent })
  return (
    <div className="price-progress">
      <ProgressBar label={t('rehearsal.progress')} percent={percent} text={text} />
      <span>{text}</span>
    </div>
  )
}
