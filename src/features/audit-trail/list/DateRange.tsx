import { useRef, useState } from 'react'
import { FieldFrame } from '#ui/form/Field.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { isDay, type Range } from '#features/audit-trail/list/list-url.ts'

interface Props extends Range {
  onChange: (range: Range) => void
}

type End = 'from' | 'to'

/**
 * Two days, both part of the range, each of which may be left open. The start can't be after the end (contracts 2): the field
 * that was changed says so at once, keeps what was typed, and the list stays at the last range that holds.
 */
export function DateRange({ dateFrom, dateTo, onChange }: Props) {
  const { t } = useTranslation('audit')
  const given = { from: dateFrom ?? '', to: dateTo ?? '' }
  const [typed, setTyped] = useState(given)
  const [settled, setSettled] = useState(given)
  const [changed, setChanged] = useState<End>('from')
  /** Those that were left with something that is no date. */
  const [left, setLeft] = useState<readonly End[]>([])
  // The address changed by itself (Back, a day in the chart): what was typed follows it.
  if (given.from !== settled.from || given.to !== settled.to) {
    setSettled(given)
    setTyped(given)
    setLeft([])
  }
  const crosses = isDay(typed.from) && isDay(typed.to) && typed.from > typed.to
  const errorOf = (end: End) => {
    if (left.includes(end) && typed[end] !== '' && !isDay(typed[end])) return t('filter.notDate')
    if (!crosses || end !== changed) return null
    return end === 'from'
      ? t('filter.startAfterEnd', { end: typed.to })
      : t('filter.endBeforeStart', { start: typed.from })
  }
  const change = (end: End, text: string) => {
    const next = { ...typed, [end]: text }
    setTyped(next)
    setChanged(end)
    setLeft(left.filter((one) => one !== end))
    const holds = (one: string) => one === '' || isDay(one)
    if (!holds(next.from) || !holds(next.to) || (next.from && next.to && next.from > next.to)) return
    setSettled(next)
    onChange({ dateFrom: next.from || null, dateTo: next.to || null })
  }
  const leave = (end: End) => {
    const tidy = tidied(typed[end])
    if (tidy !== typed[end]) change(end, tidy)
    setLeft((now) => [...now.filter((one) => one !== end), end])
  }
  return (
    <>
      {(['from', 'to'] as const).map((end) => (
        <DateField
          key={end}
          name={end === 'from' ? 'dateFrom' : 'dateTo'}
          label={t(`filter.${end}`)}
          value={typed[end]}
          error={errorOf(end)}
          onChange={(text) => change(end, text)}
          onLeave={() => leave(end)}
        />
      ))}
    </>
  )
}

/** 2026/1/5, 2026.1.5 and 20260105 are dates too. */
function tidied(text: string): string {
  const [, year, month = '', day = ''] = /^\s*(\d{4})[-/.]?(\d{1,2})[-/.]?(\d{1,2})\s*$/.exec(text) ?? []
  return year === undefined ? text.trim() : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}

interface FieldProps {
  name: string
  label: string
  value: string
  error: string | null
  onChange: (text: string) => void
  onLeave: () => void
}

/** Typed and shown as 2026-11-24 whatever the browser's language is; the browser's own calendar is a button away. */
function DateField({ name, label, value, error, onChange, onLeave }: FieldProps) {
  const { t } = useTranslation('audit')
  const calendar = useRef<HTMLInputElement>(null)
  return (
    <FieldFrame label={label} error={error} className="trail-date">
      {(described) => (
        <span className="trail-date-room">
          <input
            {...described}
            className="input"
            type="text"
            name={name}
            inputMode="numeric"
            maxLength={12}
            autoComplete="off"
            placeholder={t('filter.date')}
            value={value}
            onChange={({ target }) => onChange(target.value)}
            onBlur={onLeave}
          />
          <button
            type="button"
            className="input-button"
            aria-label={t('filter.pick', { field: label })}
            onClick={() => calendar.current?.showPicker?.()}
          >
            <Icon name="calendar" size={16} />
          </button>
          <input
            ref={calendar}
            className="trail-calendar"
            type="date"
            tabIndex={-1}
            aria-hidden="true"
            value={isDay(value) ? value : ''}
            onChange={({ target }) => onChange(target.value)}
          />
        </span>
      )}
    </FieldFrame>
  )
}
