import { useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { isOffline } from '#contract/problem.ts'
import { useConnection } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { FilterBar } from '#ui/list/FilterBar.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { LogLines } from '#features/services/log/LogLines.tsx'
import { LogStatus } from '#features/services/log/LogStatus.tsx'
import { toTimestamps, checkRange, type ServiceLogRange, getSpanStart } from '#features/services/log/log-range.ts'
import { type LogViewState, readLogView, writeLogView } from '#features/services/log/log-view-state.ts'
import { LogRangeMenu } from '#features/services/log/LogRangeMenu.tsx'
import { useLogDownload } from '#features/services/log/useLogDownload.ts'
import { useLog } from '#features/services/log/useLog.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { getBusinessNow } from '#ui/page/business-clock.ts'
import type { useBusinessNow } from '#features/services/useBusinessNow.ts'

interface LogViewProps {
  service: { id: number; code: string }
  clock: NonNullable<ReturnType<typeof useBusinessNow>>
}

/**
 * Shows the log of a time range, with text search. If the user chooses to follow the log, new lines are added (M119). The view is stored in
 * the address.
 */
export function LogView({ service: { id, code }, clock }: LogViewProps) {
  const { t } = useTranslation('services')
  const isOnline = useConnection().networkState === 'online'
  const [query, setQuery] = useSearchParams()
  const view = readLogView(query)
  const { searchText, shouldFollow } = view
  const [initialRange] = useState(() => ({ from: getSpanStart('hour', getBusinessNow(), clock.formatMinute), to: '' }))
  const range = view.range ?? initialRange
  const change = (changes: Partial<LogViewState>) => setQuery(writeLogView({ ...view, ...changes }), { replace: true })
  const timestamps = toTimestamps(range, clock.nextMinute)
  const span = range.to === '' ? { from: timestamps.from } : timestamps
  const log = useLog({ id, span, searchText, shouldFollow })
  const logDownload = useLogDownload(id)
  return (
    <div className="log">
      <LogTools view={view} range={range} clock={clock} logDownload={logDownload} onChange={change} />
      <ProblemNote problem={logDownload.problem} title={t('log.failed')} shouldFocus />
      <ProblemNote
        problem={isOffline(log.problem) ? null : log.problem}
        title={t('log.problem')}
        onRetry={log.refetch}
      />
      <LogStatus lines={log.lines} shouldFollow={shouldFollow} isOnline={isOnline} />
      {log.lines?.lines.length ? (
        <LogLines
          label={t('log.title', { code })}
          lines={log.lines.lines}
          timeZone={clock.timeZone}
          isFetching={log.isFetching && !log.isCurrent}
        />
      ) : (
        <EmptyLog log={log} isOnline={isOnline} isSearched={searchText.trim() !== ''} />
      )}
    </div>
  )
}

interface LogToolsProps {
  view: LogViewState
  range: ServiceLogRange
  clock: LogViewProps['clock']
  logDownload: ReturnType<typeof useLogDownload>
  onChange: (changes: Partial<LogViewState>) => void
}

function LogTools({
  view: { range: viewRange, searchText, shouldFollow },
  range,
  clock,
  logDownload,
  onChange,
}: LogToolsProps) {
  const { t } = useTranslation('services')
  const disabledReason = useUnsendableReason(t('whyNot.offline'))
  // An invalid range stays in its fields while the lines of the last valid range are displayed.
  const [invalidRange, setInvalidRange] = useState<ServiceLogRange | null>(null)
  const changeRange = (newRange: ServiceLogRange) => {
    const isValid = Object.keys(checkRange(newRange, clock.currentMinute)).length === 0
    setInvalidRange(isValid ? null : newRange)
    // A range with an end cannot be followed.
    if (isValid) onChange({ range: newRange, shouldFollow: shouldFollow && newRange.to === '' })
  }
  const toggleFollow = () =>
    onChange(
      shouldFollow
        ? { shouldFollow: false }
        : { shouldFollow: true, range: range.to === '' ? viewRange : { ...range, to: '' } },
    )
  return (
    <div className="log-tools">
      <FilterBar
        search={{
          value: searchText,
          onChange: (newText) => onChange({ searchText: newText }),
          label: t('log.search'),
        }}
        onClearAll={() => onChange({ searchText: '' })}
      >
        <LogRangeMenu range={range} typedRange={invalidRange ?? range} clock={clock} onChange={changeRange} />
      </FilterBar>
      <div className="log-acts">
        <Button icon={shouldFollow ? 'stop' : 'play'} aria-pressed={shouldFollow} onClick={toggleFollow}>
          {t('log.follow')}
        </Button>
        <Button
          icon="install"
          isBusy={logDownload.isBusy}
          disabledReason={disabledReason}
          onClick={() => void logDownload.download(range, clock.nextMinute)}
        >
          {t('log.download')}
        </Button>
      </div>
    </div>
  )
}

interface EmptyLogProps {
  log: ReturnType<typeof useLog>
  isOnline: boolean
  isSearched: boolean
}

function EmptyLog({ log, isOnline, isSearched }: EmptyLogProps) {
  const { t } = useTranslation('services')
  if (!log.isCurrent && isOnline && log.problem) return null
  return (
    <div className="log-none">
      {log.isCurrent ? (
        <EmptyState icon="trail" title={t(isSearched ? 'log.noneFound' : 'log.empty')} />
      ) : isOnline ? (
        <Skeleton lines={8} />
      ) : (
        <EmptyState icon="offline" title={t('log.needsConnection')} />
      )}
    </div>
  )
}
