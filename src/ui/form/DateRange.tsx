import { useState } from 'react'
import { DateField, type DateKind, isDateText } from '#ui/form/DateField.tsx'
import '#ui/form/date-messages.ts'
import { useTranslation } from 'react-i18next'

const rangeEnds = ['from', 'to'] as const
type RangeEnd = (typeof rangeEnds)[number]
/** Both ends in the format of `kind`; an empty text means an open end. */
export type DateRangeValue = Record<RangeEnd, string>

interface Props {
  kind?: DateKind
  /** The last valid range. */
  range: DateRangeValue
  labels: Record<RangeEnd, string>
  names: Record<RangeEnd, string>
  min?: string | undefined
  max?: string | undefined
  /** Errors to display at an end that is a valid date or open: for example, it is too long ago. */
  errors?: Partial<Record<RangeEnd, string | null>>
  /** Called with null if the typed text is not a range. The owner of the field may keep the last valid range. */
  onChange: (range: DateRangeValue | null) => void
}

/** Two inclusive dates; each end may be open. A start after the end is an error of the field that was changed (contracts 2). */
export function DateRange({ kind = 'day', range, labels, names, min, max, errors = {}, onChange }: Props) {
  const { t } = useTranslation('dates')
  const [typedRange, setTypedRange] = useState(range)
  const [settledRange, setSettledRange] = useState(range)
  const [changedEnd, setChangedEnd] = useState<RangeEnd>('from')
  // If the range was changed from outside (Back, a day in a chart), the typed text is replaced.
  if (range.from !== settledRange.from || range.to !== settledRange.to) {
    setSettledRange(range)
    setTypedRange(range)
  }
  const getError = (end: RangeEnd) => {
    if (end === changedEnd && isReversed(kind, typedRange))
      return end === 'from'
        ? t('startAfterEnd', { end: typedRange.to })
        : t('endBeforeStart', { start: typedRange.from })
    return isDateText(kind, typedRange[end]) || typedRange[end] === '' ? errors[end] : null
  }
  const change = (end: RangeEnd, text: string) => {
    const next = { ...typedRange, [end]: text }
    setTypedRange(next)
    setChangedEnd(end)
    const isValid =
      rangeEnds.every((rangeEnd) => next[rangeEnd] === '' || isDateText(kind, next[rangeEnd])) &&
      !isReversed(kind, next)
    if (isValid) setSettledRange(next)
    onChange(isValid ? next : null)
  }
  return rangeEnds.map((end) => (
    <DateField
      key={end}
      {...{ kind, min, max }}
      name={names[end]}
      label={labels[end]}
      value={typedRange[end]}
      error={getError(end)}
      onChange={(text) => change(end, text)}
    />
  ))
}

const isReversed = (kind: DateKind, { from, to }: DateRangeValue) =>
  isDateText(kind, from) && isDateText(kind, to) && from > to
