import { useState } from 'react'
import { DateField } from '#ui/form/DateField.tsx'
import { useTranslation } from 'react-i18next'
import { checkRange, getEarliestMinute, type ServiceLogRange } from '#features/services/log/log-range.ts'

interface RangeFieldsProps {
  range: ServiceLogRange
  /** The current minute in the business time zone. */
  currentMinute: string
  max?: string
  isEndOpen?: boolean
  /** Shows errors also in a field that still has the focus. */
  isStrict?: boolean
  onChange: (range: ServiceLogRange) => void
}

type RangeEnd = keyof ServiceLogRange
const rangeEnds = ['from', 'to'] as const

/** Fields for start and end, to the minute. An error is shown at the field that was changed (contracts 5). */
export function RangeFields({
  range,
  currentMinute,
  max = currentMinute,
  isEndOpen = true,
  isStrict = false,
  onChange,
}: RangeFieldsProps) {
  const { t } = useTranslation('services')
  const { t: tDates } = useTranslation('dates')
  const [changedEnd, setChangedEnd] = useState<RangeEnd>('from')
  const faults = checkRange(range, currentMinute, isEndOpen)
  const getError = (end: RangeEnd): string | null => {
    const fault = faults[end]
    if (fault === 'crosses') {
      if (end !== changedEnd) return null
      return end === 'from'
        ? t('log.wrong.startAfterEnd', { end: range.to || currentMinute })
        : t('log.wrong.endBeforeStart', { start: range.from })
    }
    if (fault === 'tooEarly') return t('log.wrong.tooEarly', { earliest: getEarliestMinute(currentMinute) })
    if (fault === 'missing') return t('log.wrong.missing')
    // A partly typed time is not valid yet, so its error is shown only on blur.
    return fault && isStrict ? tDates('not.minute') : null
  }
  return (
    <div className="log-range">
      {rangeEnds.map((end) => (
        <DateField
          key={end}
          kind="minute"
          name={end}
          label={t(`log.${end}`)}
          optional={end === 'to' && isEndOpen}
          value={range[end]}
          min={getEarliestMinute(currentMinute)}
          max={max}
          error={getError(end)}
          onChange={(text) => {
            setChangedEnd(end)
            onChange({ ...range, [end]: text })
          }}
        />
      ))}
    </div>
  )
}
