import { memo, useLayoutEffect, useRef, useState } from 'react'
import { toTimestamp } from '#domain/time.ts'
import { Button } from '#ui/display/Button.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import type { NumberedLogLine } from '#features/services/log/log-lines.ts'

interface LogLinesProps {
  label: string
  lines: readonly NumberedLogLine[]
  timeZone: string
  isFetching: boolean
}

/** Distance from the end (px) within which the frame follows new lines. */
const endTolerancePx = 24

/** Shows the lines. While the user is at the end, the frame follows new lines; otherwise its position does not change. */
export function LogLines({ label, lines, timeZone, isFetching }: LogLinesProps) {
  const { t } = useTranslation('services')
  const frameRef = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const lastSeen = useRef(getLastNumber(lines))
  const [unseenCount, setUnseenCount] = useState(0)
  const [isAway, setIsAway] = useState(false)
  const lastNumber = getLastNumber(lines)
  const firstNumber = lines[0]?.number ?? 0
  const scrollToEnd = () => frameRef.current?.scrollTo({ top: frameRef.current.scrollHeight })
  useLayoutEffect(() => {
    // Lower numbers mean that the range has changed, so the frame starts at the end again.
    if (lastNumber < lastSeen.current) isAtEnd.current = true
    if (isAtEnd.current) {
      scrollToEnd()
      lastSeen.current = lastNumber
    }
    setUnseenCount(Math.max(0, lastNumber - lastSeen.current))
  }, [lastNumber, firstNumber])
  const handleScroll = () => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = frameRef.current ?? {}
    isAtEnd.current = scrollHeight - clientHeight - scrollTop <= endTolerancePx
    setIsAway(!isAtEnd.current)
    if (!isAtEnd.current) return
    lastSeen.current = lastNumber
    setUnseenCount(0)
  }
  return (
    <div className="log-room">
      {/* Focusable, so that it can be scrolled with the keyboard. Screen readers announce the number of lines (in the status) and not each line of the log. */}
      <div
        ref={frameRef}
        className={`log-lines${isFetching ? ' again' : ''}`}
        role="log"
        aria-live="off"
        aria-label={label}
        aria-busy={isFetching}
        // biome-ignore lint: as above
        tabIndex={0}
        onScroll={handleScroll}
      >
        {lines.map((line) => (
          <Line key={line.number} line={line} timeZone={timeZone} />
        ))}
      </div>
      {isAway && (
        <div className="log-end">
          <Button icon="descending" onClick={scrollToEnd}>
            {unseenCount > 0 ? t('log.toEnd', { count: unseenCount, number: formatNumber(unseenCount) }) : t('log.end')}
          </Button>
        </div>
      )}
    </div>
  )
}

const getLastNumber = (lines: readonly NumberedLogLine[]) => lines.at(-1)?.number ?? -1

const Line = memo(function Line({
  line: { time, task, level, text },
  timeZone,
}: {
  line: NumberedLogLine
  timeZone: string
}) {
  const { t } = useTranslation('services')
  return (
    <div className={`log-line ${level}`}>
      <span className="log-time">{toTimestamp(timeZone, time)}</span>
      <span className="log-level">{t(`log.level.${level}`)}</span>
      <span className="log-task">{task === 0 ? t('log.supervisor') : t('log.task', { number: String(task) })}</span>
      <span className="log-text" dir="ltr">
        {text}
      </span>
    </div>
  )
})
