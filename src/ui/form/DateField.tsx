import '#ui/form/forms.css'
import '#ui/form/date-messages.ts'
import { useEffect, useRef, useState } from 'react'
import { isDay, isMinute } from '#domain/plain-dates.ts'
import { useLatestCallback } from '#ui/display/useLatestCallback.ts'
import { FieldFrame, isFieldLocked, type SizedFieldProps } from '#ui/form/Field.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

export type DateKind = 'day' | 'minute'

export interface DateFieldProps extends SizedFieldProps {
  /** `day` is `YYYY-MM-DD`, `minute` is `YYYY-MM-DD HH:mm`. The owner of the field decides the time zone. */
  kind?: DateKind
  name: string
  /** The text as typed. The owner of the field has to check that it is a date. */
  value: string
  /** Range of the calendar, in the same format. Typed text is not restricted by it. */
  min?: string | undefined
  max?: string | undefined
  onChange: (text: string) => void
}

export const isDateText = (kind: DateKind, text: string): boolean => (kind === 'day' ? isDay(text) : isMinute(text))

/**
 * A date is always typed and displayed as 2026-11-24, independent of the browser's language. A button opens the browser's calendar. An
 * invalid date shows an error on blur, unless the owner of the field has set another error.
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
  const normalise = useLatestCallback(() => {
    const normalisedText = normaliseDate(kind, value)
    if (normalisedText !== value) onChange(normalisedText)
  })
  // A restored draft may have the text of a field that was never left.
  useEffect(normalise, [normalise])
  const handleBlur = () => {
    normalise()
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
            // Enter submits the form, so the text must be normalised first.
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

/** The browser's date input, of which only the calendar is visible. */
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
        min={toBrowserValue(min) || undefined}
        max={toBrowserValue(max) || undefined}
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

const toPlainDate = (text: string) =>
  text
    .normalize('NFKC')
    .trim()
    .replace(/日(?=\d)/, '日 ')

/** Also accepts 2026/1/5, 2026.1.5, 20260105, 2026年1月5日, 9:05 and 0905. A day without a time becomes its first minute. */
function normaliseDate(kind: DateKind, text: string): string {
  const [, year, month = '', date = '', hour = '0', minute = '00'] = datePatterns[kind].exec(toPlainDate(text)) ?? []
  if (year === undefined) return text.trim()
  const isoDate = `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`
  return kind === 'day' ? isoDate : `${isoDate} ${hour.padStart(2, '0')}:${minute}`
}
