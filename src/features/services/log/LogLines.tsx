import { memo, useLayoutEffect, useRef, useState } from 'react'
import { timestampIn } from '#domain/time.ts'
import { Button } from '#ui/display/Button.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import type { ShownLine } from '#features/services/log/log-lines.ts'

interface Props {
  label: string
  lines: readonly ShownLine[]
  zone: string
  isFetching: boolean
}

/** How near to its end one has to be to be taken along, px. */
const nearPx = 24

/** The lines in a frame that scrolls. Whoever is at its end stays at the end as lines come; whoever reads elsewhere keeps the place. */
export function LogLines({ label, lines, zone, isFetching }: Props) {
  const { t } = useTranslation('services')
  const frame = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const seen = useRef(lastOf(lines))
  const [unseen, setUnseen] = useState(0)
  const [away, setAway] = useState(false)
  const last = lastOf(lines)
  const first = lines[0]?.number ?? 0
  const toEnd = () => frame.current?.scrollTo({ top: frame.current.scrollHeight })
  useLayoutEffect(() => {
    // Of another span: it begins at its end.
    if (last < seen.current) isAtEnd.current = true
    if (isAtEnd.current) {
      toEnd()
      seen.current = last
    }
    setUnseen(Math.max(0, last - seen.current))
  }, [last, first])
  const scrolled = () => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = frame.current ?? {}
    isAtEnd.current = scrollHeight - clientHeight - scrollTop <= nearPx
    setAway(!isAtEnd.current)
    if (!isAtEnd.current) return
    seen.current = last
    setUnseen(0)
  }
  return (
    <div className="log-room">
      {/* What scrolls is to be reached by key. Nobody wants each line read aloud: how many there are is said beside it. */}
      <div
        ref={frame}
        className={`log-lines${isFetching ? ' again' : ''}`}
        role="log"
        aria-live="off"
        aria-label={label}
        aria-busy={isFetching}
        // biome-ignore lint: as above
        tabIndex={0}
        onScroll={scrolled}
      >
        {lines.map((line) => (
          <Line key={line.number} line={line} zone={zone} />
        ))}
      </div>
      {away && (
        <div className="log-end">
          <Button icon="descending" onClick={toEnd}>
            {unseen > 0 ? t('log.toEnd', { count: unseen, number: number(unseen) }) : t('log.end')}
          </Button>
        </div>
      )}
    </div>
  )
}

const lastOf = (lines: readonly ShownLine[]) => lines.at(-1)?.number ?? -1

const Line = memo(function Line({ line: { time, task, level, text }, zone }: { line: ShownLine; zone: string }) {
  const { t } = useTranslation('services')
  return (
    <div className={`log-line ${level}`}>
      <span className="log-time">{timestampIn(zone, time)}</span>
      <span className="log-level">{t(`log.level.${level}`)}</span>
      <span className="log-task">{task === 0 ? t('log.supervisor') : t('log.task', { number: String(task) })}</span>
      <span className="log-text" dir="ltr">
        {text}
      </span>
    </div>
  )
})
