import { useState } from 'react'
import { DateField, type DateKind, isDateText } from '#ui/form/DateField.tsx'
import '#ui/form/date-messages.ts'
import { useTranslation } from 'react-i18next'

const rangeEnds = ['from', 'to'] as const
type RangeEnd = (typeof rangeEnds)[number]
/** In the form of its kind; '': open. */
export type DateRangeValue = Record<RangeEnd, string>

interface Props {
  kind?: DateKind
  /** The last range that held. */
  range: DateRangeValue
  labels: Record<RangeEnd, string>
  names: Record<RangeEnd, string>
  min?: string | undefined
  max?: string | undefined
  /** What is wrong with an end that is a date: too long ago, or open where it may not be. */
  errors?: Partial<Record<RangeEnd, string | null>>
  /** Null: what is typed now is no range, and the last one that held is kept or nothing begins, as the owner likes. */
  onChange: (range: DateRangeValue | null) => void
}

/**
 * Two dates, both part of the range, each of which may be left open. The start can't be after the end (contracts 2): the field
 * that was changed says so at once and keeps what was typed.
 */
export function DateRange({ kind = 'day', range, labels, names, min, max, errors = {}, onChange }: Props) {
  const { t } = useTranslation('dates')
  const [typedRange, setTypedRange] = useState(range)
  const [settledRange, setSettledRange] = useState(range)
  const [changedEnd, setChangedEnd] = useState<RangeEnd>('from')
  // The range changed by itself (Back, a day in a chart): what was typed follows it.
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
