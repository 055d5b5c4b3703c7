import { useEffect, useState } from 'react'
import { keepTrail, trailRange } from '#contract/audit-trail.ts'
import { isOffline, type Problem } from '#contract/problem.ts'
import { addDays } from '#domain/plain-dates.ts'
import { toPlainDate } from '#domain/time.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { DateRange } from '#ui/form/DateRange.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { getBusinessNow, getBusinessZone } from '#ui/page/business-clock.ts'
import { getTrailActions } from '#features/audit-trail/offline/trail-actions.ts'

/** The earliest day that it is anywhere: whoever keeps it as the last one means that entries still come. */
const getEarliestToday = () => toPlainDate('Etc/GMT+12', getBusinessNow())
const defaultDays = 30

interface ChooseDaysProps {
  companyId: number
  /** Something else is kept now. */
  isReplacement: boolean
  onStarted: () => void
  onCancel: (() => void) | null
}

/** The first and the last day, how much that is, and the yes. */
export function ChooseDays({ companyId, isReplacement, onStarted, onCancel }: ChooseDaysProps) {
  const { t } = useTranslation('storedTrail')
  const dispatch = useDispatch()
  const isOnline = useConnection().networkState === 'online'
  const [days, setDays] = useState(() => {
    const today = toPlainDate(getBusinessZone(), getBusinessNow())
    return { from: addDays(today, 1 - defaultDays), to: today }
  })
  const [isValid, setValid] = useState(true)
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const isCompleteRange = isValid && days.from !== '' && days.to !== ''
  const dateRange = { dateFrom: days.from, dateTo: days.to }
  const getMissingMessage = (day: string) => (day === '' ? t('keep.missing') : null)
  async function startStoring() {
    if (!isCompleteRange) return
    setIsBusy(true)
    setProblem(null)
    const openResult = await dispatch(callEndpoint(keepTrail, { body: { companyId, ...dateRange } }))
    const trailActions = await dispatch(getTrailActions())
    const result =
      openResult.kind === 'fresh'
        ? await trailActions.begin({ ...dateRange, today: getEarliestToday() }, openResult.output)
        : openResult
    setIsBusy(false)
    if (result.kind === 'problem') return setProblem(result.problem)
    onStarted()
  }
  return (
    <>
      <p>{t('keep.text')}</p>
      <div className="field-row">
        <DateRange
          range={days}
          names={{ from: 'dateFrom', to: 'dateTo' }}
          labels={{ from: t('keep.from'), to: t('keep.to') }}
          errors={{ from: getMissingMessage(days.from), to: getMissingMessage(days.to) }}
          onChange={(range) => {
            setValid(range !== null)
            if (range) setDays(range)
          }}
        />
      </div>
      {isCompleteRange && <RangeSize companyId={companyId} {...dateRange} />}
      {isCompleteRange && days.to >= getEarliestToday() && <p className="field-help">{t('keep.follows')}</p>}
      {isReplacement && <p className="field-help">{t('keep.replaces')}</p>}
      <ProblemNote problem={problem} title={isOffline(problem) ? undefined : t('keep.failed')} shouldFocus />
      <div className="problem-ways">
        <Button
          kind="primary"
          icon="device"
          isBusy={isBusy}
          disabledReason={isOnline ? (isCompleteRange ? null : t('keep.badRange')) : t('keep.offline')}
          onClick={() => void startStoring()}
        >
          {t('keep.begin')}
        </Button>
        {onCancel && <Button onClick={onCancel}>{t('keep.cancel')}</Button>}
      </div>
    </>
  )
}

/** Thousands, as the systems of tablets count. */
const formatSize = (bytes: number) =>
  bytes < 999_500 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`

/** How much it is, said before it is brought. */
function RangeSize({ companyId, dateFrom, dateTo }: { companyId: number; dateFrom: string; dateTo: string }) {
  const { t } = useTranslation('storedTrail')
  const dispatch = useDispatch()
  const { networkState: connection } = useConnection()
  const [size, setSize] = useState<{ entries: number; bytes: number } | null>(null)
  useEffect(() => {
    let isActive = true
    setSize(null)
    if (connection !== 'online') return
    void dispatch(callEndpoint(trailRange, { query: { companyId, dateFrom, dateTo } }))
      .catch(() => null)
      .then((result) => isActive && result?.kind === 'fresh' && setSize(result.output))
    return () => void (isActive = false)
  }, [dispatch, companyId, dateFrom, dateTo, connection])
  if (!size) return <p role="status">{t(connection === 'online' ? 'proof.checking' : 'keep.sizeUnknown')}</p>
  const { entries, bytes } = size
  return (
    <p role="status">{t('keep.size', { count: entries, number: formatNumber(entries), size: formatSize(bytes) })}</p>
  )
}
