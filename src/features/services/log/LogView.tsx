import { useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { isOffline } from '#contract/problem.ts'
import { useConnection } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { FilterBar } from '#ui/list/FilterBar.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { LogLines } from '#features/services/log/LogLines.tsx'
import { maxLines } from '#features/services/log/log-lines.ts'
import { toTimestamps, checkRange, type ServiceLogRange, getSpanStart } from '#features/services/log/log-range.ts'
import { type LogViewState, readLogView, writeLogView } from '#features/services/log/log-view-state.ts'
import { QuickSpans } from '#features/services/log/QuickSpans.tsx'
import { RangeFields } from '#features/services/log/RangeFields.tsx'
import { useLogDownload } from '#features/services/log/useLogDownload.ts'
import { useLog } from '#features/services/log/useLog.ts'
import { useOfflineReason } from '#features/services/useOfflineReason.ts'
import { getBusinessNow } from '#ui/page/business-clock.ts'
import type { useBusinessNow } from '#features/services/useBusinessNow.ts'

interface LogViewProps {
  service: { id: number; code: string }
  clock: NonNullable<ReturnType<typeof useBusinessNow>>
}

/** A log of a span, found by text and followed (M119). The address says what is shown. */
export function LogView({ service: { id, code }, clock }: LogViewProps) {
  const { t } = useTranslation('services')
  const disabledReason = useOfflineReason()
  const isOnline = useConnection().networkState === 'online'
  const [query, setQuery] = useSearchParams()
  const view = readLogView(query)
  const [initialRange] = useState(() => ({ from: getSpanStart('hour', getBusinessNow(), clock.formatMinute), to: '' }))
  const range = view.range ?? initialRange
  // What is typed and does not hold yet stays in its fields, and the lines stay those of the last span that held.
  const [typedRange, setTypedRange] = useState<ServiceLogRange | null>(null)
  const change = (changes: Partial<LogViewState>) => setQuery(writeLogView({ ...view, ...changes }), { replace: true })
  const chooseRange = (newRange: ServiceLogRange) => {
    const isValid = Object.keys(checkRange(newRange, clock.currentMinute)).length === 0
    setTypedRange(isValid ? null : newRange)
    // An end that is set is not followed past.
    if (isValid) change({ range: newRange, shouldFollow: view.shouldFollow && newRange.to === '' })
  }
  const timestamps = toTimestamps(range, clock.nextMinute)
  const span = range.to === '' ? { from: timestamps.from } : timestamps
  const log = useLog({ id, span, searchText: view.searchText, shouldFollow: view.shouldFollow })
  const { isBusy, problem: downloadProblem, download } = useLogDownload(id)
  const toggleFollow = () =>
    change(
      view.shouldFollow
        ? { shouldFollow: false }
        : { shouldFollow: true, range: range.to === '' ? view.range : { ...range, to: '' } },
    )
  const search = view.searchText.trim()
  return (
    <div className="log">
      <div className="log-tools">
        <QuickSpans clock={clock} onChoose={chooseRange} />
        <RangeFields range={typedRange ?? range} currentMinute={clock.currentMinute} onChange={chooseRange} />
        <div className="log-acts">
          <Button icon={view.shouldFollow ? 'stop' : 'play'} aria-pressed={view.shouldFollow} onClick={toggleFollow}>
            {t('log.follow')}
          </Button>
          <Button
            icon="install"
            isBusy={isBusy}
            disabledReason={disabledReason}
            onClick={() => void download(range, clock.nextMinute)}
          >
            {t('log.download')}
          </Button>
        </div>
      </div>
      <FilterBar
        search={{
          value: view.searchText,
          onChange: (searchText) => change({ searchText }),
          label: t('log.search'),
        }}
        chips={[]}
        onClearAll={() => change({ searchText: '' })}
      />
      <ProblemNote problem={downloadProblem} title={t('log.failed')} shouldFocus />
      <ProblemNote
        problem={isOffline(log.problem) ? null : log.problem}
        title={t('log.problem')}
        onRetry={log.refetch}
      />
      <p className="log-status" role="status">
        {log.lines && log.lines.lines.length > 0 && (
          <span>{t('log.lines', { count: log.lines.lines.length, number: formatNumber(log.lines.lines.length) })}</span>
        )}
        {view.shouldFollow && <span>{t(isOnline ? 'log.following' : 'log.followOffline')}</span>}
        {!view.shouldFollow && !isOnline && log.lines && <span>{t('log.needsConnection')}</span>}
        {log.lines?.isTruncated ? (
          <span>{t('log.cut', { number: formatNumber(maxLines) })}</span>
        ) : (
          log.lines?.hasMore && <span>{t('log.more')}</span>
        )}
        <span>{t('log.zone', { zone: clock.timeZone })}</span>
      </p>
      {log.lines && log.lines.lines.length > 0 ? (
        <LogLines
          label={t('log.title', { code })}
          lines={log.lines.lines}
          timeZone={clock.timeZone}
          isFetching={log.isFetching && !log.isCurrent}
        />
      ) : (
        <EmptyLog
          isAnswered={log.isCurrent}
          isOnline={isOnline}
          isSearched={search !== ''}
          hasProblem={log.problem !== null}
        />
      )}
    </div>
  )
}

/** Three different nothings: it cannot be read here, it is being read, there is nothing. */
function EmptyLog(props: { isAnswered: boolean; isOnline: boolean; isSearched: boolean; hasProblem: boolean }) {
  const { t } = useTranslation('services')
  if (!props.isAnswered && props.isOnline && props.hasProblem) return null
  return (
    <div className="log-none">
      {props.isAnswered ? (
        <EmptyState icon="trail" title={t(props.isSearched ? 'log.noneFound' : 'log.empty')} />
      ) : props.isOnline ? (
        <Skeleton lines={8} />
      ) : (
        <EmptyState icon="offline" title={t('log.needsConnection')} />
      )}
    </div>
  )
}
