import '#ui/form/forms.css'
import '#ui/form/date-messages.ts'
import { useRef, useState } from 'react'
import { isDay, isMinute } from '#domain/plain-dates.ts'
import { FieldFrame, isFieldLocked, type SizedFieldProps } from '#ui/form/Field.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

export type DateKind = 'day' | 'minute'

export interface DateFieldProps extends SizedFieldProps {
  /** `YYYY-MM-DD`, or `YYYY-MM-DD HH:mm`. The zone is its owner's matter. */
  kind?: DateKind
  name: string
  /** As it was typed: whether it is a date is the owner's to check before it is used. */
  value: string
  /** What the calendar offers at most, in the same form; text that is typed is not held back by it. */
  min?: string | undefined
  max?: string | undefined
  onChange: (text: string) => void
}

export const isDateText = (kind: DateKind, text: string): boolean => (kind === 'day' ? isDay(text) : isMinute(text))

/**
 * Typed and shown as 2026-11-24 whatever the browser's language is; the browser's own calendar is a button away. What is left
 * with something that is no date says so, unless its owner has an error of its own to say.
 */
export function DateField({ kind = 'day', name, value, min, max, onChange, ...frameProps }: DateFieldProps) {
  const { t } = useTranslation('dates')
  const [hasBlurred, setHasBlurred] = useState(false)
  const isWrong = hasBlurred && value !== '' && !isDateText(kind, value)
  const error = frameProps.error || (isWrong ? t(`not.${kind}`) : null)
  const isLocked = isFieldLocked(frameProps)
  const handleType = (text: string) => {
    setHasBlurred(false)
    onChange(text)
  }
  const handleBlur = () => {
    const normalisedText = normaliseDate(kind, value)
    if (normalisedText !== value) onChange(normalisedText)
    setHasBlurred(true)
  }
  return (
    <FieldFrame size={kind === 'day' ? 'date' : 'code'} {...frameProps} error={error} className="date-field">
      {(controlProps) => (
        <span className="date-room" data-kind={kind}>
          <input
            {...controlProps}
            className="input"
            type="text"
            name={name}
            inputMode="numeric"
            maxLength={24}
            autoComplete="off"
            placeholder={t(`shape.${kind}`)}
            readOnly={isLocked}
            value={value}
            onChange={({ target }) => handleType(target.value)}
            onBlur={handleBlur}
            // A form that is sent by this key reads what is tidy.
            onKeyDown={({ key }) => key === 'Enter' && handleBlur()}
          />
          {!isLocked && <Calendar {...{ kind, value, min, max }} field={frameProps.label} onChoose={handleType} />}
        </span>
      )}
    </FieldFrame>
  )
}

interface CalendarProps {
  kind: DateKind
  value: string
  min: string | undefined
  max: string | undefined
  field: string
  onChoose: (text: string) => void
}

/** The browser's own, of which only the calendar is ever seen. */
function Calendar({ kind, value, min, max, field, onChoose }: CalendarProps) {
  const { t } = useTranslation('dates')
  const calendar = useRef<HTMLInputElement>(null)
  const toBrowserValue = (text = '') => (isDateText(kind, text) ? text.replace(' ', 'T') : '')
  return (
    <>
      <button
        type="button"
        className="input-button"
        aria-label={t(`choose.${kind}`, { field })}
        onClick={() => calendar.current?.showPicker?.()}
      >
        <Icon name="calendar" size={16} />
      </button>
      <input
        ref={calendar}
        className="date-calendar"
        type={kind === 'day' ? 'date' : 'datetime-local'}
        tabIndex={-1}
        aria-hidden="true"
        min={toBrowserValue(min)}
        max={toBrowserValue(max)}
        value={toBrowserValue(value)}
        onChange={({ target }) => onChoose(target.value.slice(0, 16).replace('T', ' '))}
      />
    </>
  )
}

const dayPattern = String.raw`(\d{4})[-/.年]?(\d{1,2})[-/.月]?(\d{1,2})日?`
const datePatterns = {
  day: new RegExp(`^${dayPattern}$`),
  minute: new RegExp(String.raw`^${dayPattern}(?:[ T]+(\d{1,2})[:时]?(\d{2})分?(?::\d{2})?)?$`),
}

/** Full-width figures as plain ones, and a blank between a day and the hour. */
const toPlainDate = (text: string) =>
  text
    .normalize('NFKC')
    .trim()
    .replace(/日(?=\d)/, '日 ')

/** 2026/1/5, 2026.1.5, 20260105, 2026年1月5日 and full-width figures are dates too; a minute may be given as 9:05 or 0905, and a day alone is its first minute. */
function normaliseDate(kind: DateKind, text: string): string {
  const [, year, month = '', date = '', hour = '0', minute = '00'] = datePatterns[kind].exec(toPlainDate(text)) ?? []
  if (year === undefined) return text.trim()
  const isoDate = `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`
  return kind === 'day' ? isoDate : `${isoDate} ${hour.padStart(2, '0')}:${minute}`
}
