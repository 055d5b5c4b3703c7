import { useState } from 'react'
import { DateField } from '#ui/form/DateField.tsx'
import { useTranslation } from 'react-i18next'
import { checkRange, earliest, type LogRange } from '#features/services/log/log-range.ts'

interface Props {
  /** As typed. */
  range: LogRange
  /** This minute, in the business time zone. */
  now: string
  /** The last minute that can be chosen. */
  max?: string
  /** Whether the end may be left open: up to now. */
  isEndOpen?: boolean
  /** Whether all that is wrong is to be said, also of what nobody has left yet. */
  strict?: boolean
  onChange: (range: LogRange) => void
}

type End = keyof LogRange
const ends = ['from', 'to'] as const

/** Two minutes. What is wrong is said beside the field that was changed (contracts 5). */
export function RangeFields({ range, now, max = now, isEndOpen = true, strict = false, onChange }: Props) {
  const { t } = useTranslation('services')
  const { t: ui } = useTranslation('dates')
  const [changed, setChanged] = useState<End>('from')
  const faults = checkRange(range, now, isEndOpen)
  const errorOf = (end: End): string | null => {
    const fault = faults[end]
    if (fault === 'crosses') {
      if (end !== changed) return null
      return end === 'from'
        ? t('log.wrong.startAfterEnd', { end: range.to || now })
        : t('log.wrong.endBeforeStart', { start: range.from })
    }
    if (fault === 'tooEarly') return t('log.wrong.tooEarly', { earliest: earliest(now) })
    if (fault === 'missing') return t('log.wrong.missing')
    // One that is being typed is no time yet; the field says so as it is left.
    return fault && strict ? ui('not.minute') : null
  }
  return (
    <div className="log-range">
      {ends.map((end) => (
        <DateField
          key={end}
          kind="minute"
          name={end}
          label={t(`log.${end}`)}
          optional={end === 'to' && isEndOpen}
          value={range[end]}
          min={earliest(now)}
          max={max}
          error={errorOf(end)}
          onChange={(text) => {
            setChanged(end)
            onChange({ ...range, [end]: text })
          }}
        />
      ))}
    </div>
  )
}
