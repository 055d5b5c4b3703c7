import { useState } from 'react'
import { keepTrail, trailRange } from '#contract/audit-trail.ts'
import { isOffline } from '#contract/problem.ts'
import { addDays } from '#domain/plain-dates.ts'
import { type PlainDate, toPlainDate } from '#domain/time.ts'
import type { CallResult } from '#request/call-results.ts'
import { type AppThunk, callEndpoint } from '#state/app-thunk.ts'
import { useAction } from '#state/use-action.ts'
import { useConnection } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { DateRange } from '#ui/form/DateRange.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { getBusinessNow, getBusinessZone } from '#ui/page/business-clock.ts'
import { getTrailActions } from '#features/audit-trail/offline/trail-actions.ts'
import { useTrailResponse } from '#features/audit-trail/useTrailResponse.ts'

interface DaysToStore {
  companyId: number
  dateFrom: PlainDate
  dateTo: PlainDate
}

const beginStoring =
  ({ companyId, dateFrom, dateTo }: DaysToStore): AppThunk<CallResult<unknown>> =>
  async (dispatch) => {
    const openResult = await dispatch(callEndpoint(keepTrail, { body: { companyId, dateFrom, dateTo } }))
    if (openResult.kind !== 'fresh') return openResult
    const trailActions = await dispatch(getTrailActions())
    const result = await trailActions.begin({ dateFrom, dateTo, today: getEarliestToday() }, openResult.output)
    return result.kind === 'problem' ? result : openResult
  }

/** Returns the current date in the westernmost time zone. A range that ends on it or later can still get entries. */
const getEarliestToday = () => toPlainDate('Etc/GMT+12', getBusinessNow())
const defaultDays = 30

interface ChooseDaysProps {
  companyId: number
  isReplacement: boolean
  onStarted: () => void
  onCancel: (() => void) | null
}

export function ChooseDays({ companyId, isReplacement, onStarted, onCancel }: ChooseDaysProps) {
  const { t } = useTranslation('storedTrail')
  const isOnline = useConnection().networkState === 'online'
  const [days, setDays] = useState(() => {
    const today = toPlainDate(getBusinessZone(), getBusinessNow())
    return { from: addDays(today, 1 - defaultDays), to: today }
  })
  const [isValid, setValid] = useState(true)
  const { isBusy, problem, run } = useAction(beginStoring)
  const isCompleteRange = isValid && days.from !== '' && days.to !== ''
  const dateRange = { dateFrom: days.from, dateTo: days.to }
  const getMissingMessage = (day: string) => (day === '' ? t('keep.missing') : null)
  const startStoring = async () => {
    const result = isCompleteRange && (await run({ companyId, ...dateRange }))
    if (result && result.kind !== 'problem') onStarted()
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
      {isCompleteRange && (
        <>
          <RangeSize companyId={companyId} {...dateRange} />
          {days.to >= getEarliestToday() && <p className="field-help">{t('keep.follows')}</p>}
        </>
      )}
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

/** Uses factors of 1000, as the operating systems of tablets do. */
const formatSize = (bytes: number) =>
  bytes < 999_500 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`

function RangeSize({ companyId, dateFrom, dateTo }: DaysToStore) {
  const { t } = useTranslation('storedTrail')
  const isOnline = useConnection().networkState === 'online'
  const { response } = useTrailResponse(trailRange, isOnline ? { query: { companyId, dateFrom, dateTo } } : null)
  if (!response) return <p role="status">{t(isOnline ? 'proof.checking' : 'keep.sizeUnknown')}</p>
  const { entries, bytes } = response.output
  return (
    <p role="status">{t('keep.size', { count: entries, number: formatNumber(entries), size: formatSize(bytes) })}</p>
  )
}
