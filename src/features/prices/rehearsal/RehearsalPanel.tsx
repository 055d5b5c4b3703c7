import { memo, useMemo } from 'react'
import type { ClientType } from '#domain/access.ts'
import { useOfflineReason } from '#patterns/useOfflineReason.ts'
import { useDispatch, useSelector } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { ProgressBar } from '#ui/page/ProgressBar.tsx'
import { useTranslation } from 'react-i18next'
import type { ShowFee } from '#features/prices/rehearsal/annual-fee.ts'
import { ConfirmButton, type ConfirmButtonProps } from '#features/prices/rehearsal/ConfirmButton.tsx'
import { readRunningRehearsal, rehearse, selectRehearsal } from '#features/prices/rehearsal/rehearsal-slice.ts'
import { RehearsalResult } from '#features/prices/rehearsal/RehearsalResult.tsx'
import type { PriceFormResult, SentList } from '#features/prices/sent-list.ts'

interface Props extends Omit<ConfirmButtonProps, 'result'> {
  type: ClientType
  namesByCode: ReadonlyMap<string, string>
  ShowFee: ShowFee
  typedList: PriceFormResult
  readValidList: () => SentList | null
}

const toListKey = (type: ClientType, list: SentList) => JSON.stringify([type, list])

/** Shows how the list would change the price of today's contracts at renewal. After that, the list can be confirmed. */
export const RehearsalPanel = memo(function RehearsalPanel(props: Props) {
  const { type, row, namesByCode, ShowFee, typedList, readValidList } = props
  const { t } = useTranslation('prices')
  const dispatch = useDispatch()
  const offlineReason = useOfflineReason(t('rehearsal.offline'))
  const listKey = useMemo(() => toListKey(type, typedList.list), [type, typedList])
  const { isBusy, percent, problem, result, isStale } = useRehearsal(listKey)

  function start() {
    const list = readValidList()
    if (list) void dispatch(rehearse({ listKey: toListKey(type, list), list: { type, ...list } }))
  }
  return (
    <section className="card price-rehearsal" aria-labelledby="price-rehearsal">
      <h2 id="price-rehearsal">{t('rehearsal.title')}</h2>
      <p>{t('rehearsal.lead')}</p>
      <ProblemNote problem={problem} title={t('rehearsal.failed')} onRetry={start} />
      {isBusy && <RehearsalProgress percent={percent} />}
      <div className="page-form-acts">
        <Button isBusy={isBusy} disabledReason={offlineReason} onClick={start}>
          {t(result ? 'rehearsal.again' : 'rehearsal.act')}
        </Button>
        {!row?.row.confirmed && <ConfirmButton {...props} result={result} />}
      </div>
      <div role="status">
        {isStale && <p className="price-note">{t('rehearsal.stale')}</p>}
        {result && <p className="sr-only">{t('rehearsal.done', { count: result.contracts })}</p>}
      </div>
      {result && <RehearsalResult {...{ result, namesByCode, ShowFee }} list={typedList.list} />}
    </section>
  )
})

function useRehearsal(listKey: string) {
  const { isRunning, problem, latestResult } = useSelector(selectRehearsal)
  const runningRehearsal = useLiveQuery(readRunningRehearsal, [])
  const isBusy = isRunning || Boolean(runningRehearsal)
  const result = latestResult?.listKey === listKey ? latestResult.result : null
  return {
    isBusy,
    percent: runningRehearsal?.percent ?? 0,
    problem,
    /** Null if the list has changed since the rehearsal, or was never rehearsed. */
    result,
    isStale: latestResult !== null && result === null && !isBusy,
  }
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
