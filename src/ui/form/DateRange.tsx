import { useState } from 'react'
import { DateField, type DateKind, holdsDate } from '#ui/form/DateField.tsx'
import '#ui/form/date-words.ts'
import { useTranslation } from 'react-i18next'

const ends = ['from', 'to'] as const
type End = (typeof ends)[number]
/** In the form of its kind; '': open. */
export type DateEnds = Record<End, string>

interface Props {
  kind?: DateKind
  /** The last range that held. */
  range: DateEnds
  labels: Record<End, string>
  names: Record<End, string>
  min?: string | undefined
  max?: string | undefined
  /** What is wrong with an end that is a date: too long ago, or open where it may not be. */
  errors?: Partial<Record<End, string | null>>
  /** Null: what is typed now is no range, and the last one that held is kept or nothing begins, as the owner likes. */
  onChange: (range: DateEnds | null) => void
}

/**
 * Two dates, both part of the range, each of which may be left open. The start can't be after the end (contracts 2): the field
 * that was changed says so at once and keeps what was typed.
 */
export function DateRange({ kind = 'day', range, labels, names, min, max, errors = {}, onChange }: Props) {
  const { t } = useTranslation('dates')
  const [typed, setTyped] = useState(range)
  const [settled, setSettled] = useState(range)
  const [changed, setChanged] = useState<End>('from')
  // The range changed by itself (Back, a day in a chart): what was typed follows it.
  if (range.from !== settled.from || range.to !== settled.to) {
    setSettled(range)
    setTyped(range)
  }
  const errorOf = (end: End) => {
    if (end === changed && crosses(kind, typed))
      return end === 'from' ? t('startAfterEnd', { end: typed.to }) : t('endBeforeStart', { start: typed.from })
    return holdsDate(kind, typed[end]) || typed[end] === '' ? errors[end] : null
  }
  const change = (end: End, text: string) => {
    const next = { ...typed, [end]: text }
    setTyped(next)
    setChanged(end)
    const holds = ends.every((one) => next[one] === '' || holdsDate(kind, next[one])) && !crosses(kind, next)
    if (holds) setSettled(next)
    onChange(holds ? next : null)
  }
  return ends.map((end) => (
    <DateField
      key={end}
      {...{ kind, min, max }}
      name={names[end]}
      label={labels[end]}
      value={typed[end]}
      error={errorOf(end)}
      onChange={(text) => change(end, text)}
    />
  ))
}

const crosses = (kind: DateKind, { from, to }: DateEnds) => holdsDate(kind, from) && holdsDate(kind, to) && from > to
