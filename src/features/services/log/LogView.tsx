import { useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { isOffline } from '#contract/problem.ts'
import { useConnection } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { FilterBar } from '#ui/list/FilterBar.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { LogLines } from '#features/services/log/LogLines.tsx'
import { maxLines } from '#features/services/log/log-lines.ts'
import { asTimestamps, checkRange, type LogRange, startOf } from '#features/services/log/log-range.ts'
import { type LogView as View, readLogView, writeLogView } from '#features/services/log/log-url.ts'
import { QuickSpans } from '#features/services/log/QuickSpans.tsx'
import { RangeFields } from '#features/services/log/RangeFields.tsx'
import { useDownload } from '#features/services/log/useDownload.ts'
import { useLog } from '#features/services/log/useLog.ts'
import { useWhyOffline } from '#features/services/useWhyOffline.ts'
import { businessNow } from '#ui/page/business-clock.ts'
import type { useBusinessNow } from '#features/services/useBusinessNow.ts'

interface Props {
  service: { id: number; code: string }
  clock: NonNullable<ReturnType<typeof useBusinessNow>>
}

/** A log of a span, found by text and followed (M119). The address says what is shown. */
export function LogView({ service: { id, code }, clock }: Props) {
  const { t } = useTranslation('services')
  const whyNot = useWhyOffline()
  const isOnline = useConnection().line === 'online'
  const [query, setQuery] = useSearchParams()
  const view = readLogView(query)
  const [opened] = useState(() => ({ from: startOf('hour', businessNow(), clock.minuteIn), to: '' }))
  const range = view.range ?? opened
  // What is typed and does not hold yet stays in its fields, and the lines stay those of the last span that held.
  const [typed, setTyped] = useState<LogRange | null>(null)
  const change = (part: Partial<View>) => setQuery(writeLogView({ ...view, ...part }), { replace: true })
  const choose = (next: LogRange) => {
    const holds = Object.keys(checkRange(next, clock.now)).length === 0
    setTyped(holds ? null : next)
    // An end that is set is not followed past.
    if (holds) change({ range: next, follow: view.follow && next.to === '' })
  }
  const times = asTimestamps(range, clock.next)
  const span = range.to === '' ? { from: times.from } : times
  const log = useLog({ id, span, searchText: view.searchText, follow: view.follow })
  const { busy, problem: notDownloaded, download } = useDownload(id)
  const follow = () =>
    change(
      view.follow ? { follow: false } : { follow: true, range: range.to === '' ? view.range : { ...range, to: '' } },
    )
  const search = view.searchText.trim()
  return (
    <div className="log">
      <div className="log-tools">
        <QuickSpans clock={clock} onChoose={choose} />
        <RangeFields range={typed ?? range} now={clock.now} onChange={choose} />
        <div className="log-acts">
          <Button icon={view.follow ? 'stop' : 'play'} aria-pressed={view.follow} onClick={follow}>
            {t('log.follow')}
          </Button>
          <Button icon="install" busy={busy} whyNot={whyNot} onClick={() => void download(range, clock.next)}>
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
      <ProblemNote problem={notDownloaded} title={t('log.failed')} focus />
      <ProblemNote
        problem={isOffline(log.problem) ? null : log.problem}
        title={t('log.problem')}
        onRetry={log.refetch}
      />
      <p className="log-status" role="status">
        {log.lines && log.lines.lines.length > 0 && (
          <span>{t('log.lines', { count: log.lines.lines.length, number: number(log.lines.lines.length) })}</span>
        )}
        {view.follow && <span>{t(isOnline ? 'log.following' : 'log.followOffline')}</span>}
        {!view.follow && !isOnline && log.lines && <span>{t('log.needsConnection')}</span>}
        {log.lines?.cut ? (
          <span>{t('log.cut', { number: number(maxLines) })}</span>
        ) : (
          log.lines?.more && <span>{t('log.more')}</span>
        )}
        <span>{t('log.zone', { zone: clock.zone })}</span>
      </p>
      {log.lines && log.lines.lines.length > 0 ? (
        <LogLines
          label={t('log.title', { code })}
          lines={log.lines.lines}
          zone={clock.zone}
          isFetching={log.isFetching && !log.isCurrent}
        />
      ) : (
        <Nothing isHere={log.isCurrent} isOnline={isOnline} isFound={search !== ''} hasProblem={log.problem !== null} />
      )}
    </div>
  )
}

/** Three different nothings: it cannot be read here, it is being read, there is nothing. */
function Nothing(props: { isHere: boolean; isOnline: boolean; isFound: boolean; hasProblem: boolean }) {
  const { t } = useTranslation('services')
  if (!props.isHere && props.isOnline && props.hasProblem) return null
  return (
    <div className="log-none">
      {props.isHere ? (
        <EmptyState icon="trail" title={t(props.isFound ? 'log.noneFound' : 'log.empty')} />
      ) : props.isOnline ? (
        <Skeleton lines={8} />
      ) : (
        <EmptyState icon="offline" title={t('log.needsConnection')} />
      )}
    </div>
  )
}
