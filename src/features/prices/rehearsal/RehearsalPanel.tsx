import { lazy, memo, Suspense, useMemo, useState } from 'react'
import type { PriceRow } from '#contract/prices.ts'
import { getFieldProblems, createLocalProblem, type Problem } from '#contract/problem.ts'
import type { ClientType } from '#domain/access.ts'
import { useConnection, useDispatch, useSelector } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import type { AnyFieldProblem } from '#ui/i18n/order-field-messages.ts'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { ProgressBar } from '#ui/page/ProgressBar.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { FaultList } from '#features/prices/faults/FaultList.tsx'
import type { readForm, SentList } from '#features/prices/sent-list.ts'
import type { PriceListState } from '#features/prices/price-list-state.ts'
import type { ShowFee } from '#features/prices/rehearsal/annual-fee.ts'
import { RehearsalResult } from '#features/prices/rehearsal/RehearsalResult.tsx'
import { useSettings } from '#features/prices/useSettings.ts'
import { readRunningRehearsal, rehearse, selectRehearsal } from '#features/prices/rehearsal/rehearsal-slice.ts'

const WhatIfPanel = lazy(async () => ({
  default: (await import('#features/prices/rehearsal/WhatIfPanel.tsx')).WhatIfPanel,
}))

interface Props {
  type: ClientType
  /** Null: it is not kept yet. */
  row: PriceRow | null
  namesByCode: ReadonlyMap<string, string>
  lists: readonly PriceRow[] | undefined
  today: string
  getListState: (row: PriceRow) => PriceListState
  ShowFee: ShowFee
  hasChanges: boolean
  /** The list as it is typed. */
  typedList: ReturnType<typeof readForm>
  /** Nothing is known here that refuses confirming. */
  isUsable: boolean
  /** The same, or null after saying what is wrong with it. */
  onAsk: () => SentList | null
  /** Null: it is confirmed. */
  onConfirm: (() => Promise<Problem | null>) | null
}

/** What the list would do before it does: to the contracts of today at their renewal, and to an order that one thinks of. */
export const RehearsalPanel = memo(function RehearsalPanel({
  type,
  row,
  namesByCode,
  lists,
  today,
  getListState,
  ShowFee,
  hasChanges,
  typedList,
  isUsable,
  onAsk,
  onConfirm,
}: Props) {
  const { t } = useTranslation('prices')
  const dispatch = useDispatch()
  const { networkState: connection } = useConnection()
  const { isRunning, problem, latestResult } = useSelector(selectRehearsal)
  const runningRehearsal = useLiveQuery(readRunningRehearsal, [])
  const settings = useSettings()
  const [isConfirming, setConfirming] = useState(false)
  const isBusy = isRunning || Boolean(runningRehearsal)
  const percent = runningRehearsal?.percent ?? 0
  const listKey = useMemo(() => JSON.stringify([type, typedList.list]), [type, typedList])
  const result = latestResult?.listKey === listKey ? latestResult.result : null

  function start() {
    const list = onAsk()
    if (list) void dispatch(rehearse({ listKey: JSON.stringify([type, list]), list: { type, ...list } }))
  }
  const getConfirmReason = () => {
    if (!row) return t('confirm.unsaved')
    if (hasChanges || typeof row.id !== 'number') return t('confirm.unsaved')
    if (!isUsable) return t('confirm.unusable')
    if (connection !== 'online') return t('needsConnection')
    return result ? null : t('confirm.unrehearsed')
  }
  return (
    <>
      <section className="card price-rehearsal" aria-labelledby="price-rehearsal">
        <h2 id="price-rehearsal">{t('rehearsal.title')}</h2>
        <p>{t('rehearsal.lead')}</p>
        <ProblemNote problem={problem} title={t('rehearsal.failed')} onRetry={start} />
        {isBusy && (
          <div className="price-progress">
            <ProgressBar label={t('rehearsal.progress')} percent={percent} text={t('rehearsal.percent', { percent })} />
            <span>{t('rehearsal.percent', { percent })}</span>
          </div>
        )}
        <div className="page-form-acts">
          <Button
            isBusy={isBusy}
            disabledReason={connection === 'online' ? null : t('rehearsal.offline')}
            onClick={start}
          >
            {t(result ? 'rehearsal.again' : 'rehearsal.act')}
          </Button>
          {onConfirm && (
            <Button kind="primary" icon="check" disabledReason={getConfirmReason()} onClick={() => setConfirming(true)}>
              {t('act.confirm')}
            </Button>
          )}
        </div>
        <div role="status">
          {latestResult && !result && !isBusy && <p className="price-note">{t('rehearsal.stale')}</p>}
          {result && <p className="sr-only">{t('rehearsal.done', { count: result.contracts })}</p>}
        </div>
        {result && <RehearsalResult {...{ result, namesByCode, ShowFee }} list={typedList.list} />}
      </section>
      <section className="card price-rehearsal" aria-labelledby="price-what-if">
        <h2 id="price-what-if">{t('whatIf.title')}</h2>
        <p>{t('whatIf.lead')}</p>
        {settings ? (
          <Suspense fallback={<Skeleton lines={4} />}>
            <WhatIfPanel
              {...{ lists, getListState, namesByCode, ShowFee }}
              uatBound={settings.uat_bound}
              ownId={row?.id ?? null}
              list={typedList.list}
            />
          </Suspense>
        ) : (
          <p className="price-note">{t('whatIf.notHere')}</p>
        )}
      </section>
      {isConfirming && row && onConfirm && result && (
        <ConfirmDialog
          day={row.effective_date}
          isPast={row.effective_date <= today}
          {...{ result, onConfirm }}
          onClose={() => setConfirming(false)}
        />
      )}
    </>
  )
})

interface ConfirmProps {
  day: string
  /** It counts from this moment on. */
  isPast: boolean
  result: Parameters<typeof RehearsalResult>[0]['result']
  onConfirm: () => Promise<Problem | null>
  onClose: () => void
}

/** What confirming does, with what the rehearsal found; afterwards the list can only be copied or withdrawn (D81). */
function ConfirmDialog({ day, isPast, result, onConfirm, onClose }: ConfirmProps) {
  const { t } = useTranslation('prices')
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const faults = problem ? (getFieldProblems(problem) as AnyFieldProblem[]) : []
  async function confirm() {
    setIsBusy(true)
    const refusal = await onConfirm().catch(() => createLocalProblem('OFFLINE'))
    setIsBusy(false)
    if (refusal) setProblem(refusal)
    else onClose()
  }
  return (
    <Dialog
      open
      title={t('confirm.title', { day })}
      onClose={onClose}
      action={
        <Button kind="primary" isBusy={isBusy} onClick={() => void confirm()}>
          {t('act.confirm')}
        </Button>
      }
      cancel={t('confirm.keep')}
    >
      <div className="price-confirm">
        {faults.length > 0 ? (
          <div className="price-warning" role="alert">
            <div>
              <p>{t('confirm.refused')}</p>
              <FaultList faults={faults} />
            </div>
          </div>
        ) : (
          <ProblemNote problem={problem} title={t('confirm.failed')} />
        )}
        <p>{t(isPast ? 'confirm.now' : 'confirm.later', { day })}</p>
        <p>{t('confirm.final')}</p>
        <p>{t('confirm.found', { count: result.contracts })}</p>
        {result.failing > 0 && <p className="price-warning">{t('rehearsal.failing', { count: result.failing })}</p>}
      </div>
    </Dialog>
  )
}
