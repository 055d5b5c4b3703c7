import { type FocusEvent, type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { Button } from '#ui/display/Button.tsx'
import { DateRange } from '#ui/form/DateRange.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useNarrow } from '#ui/list/useNarrow.ts'
import { useToday } from '#ui/page/use-today.ts'
import { useTranslation } from 'react-i18next'
import { datePresets, findPreset, toPresetRange } from '#features/audit-trail/list/date-presets.ts'
import type { TrailRange } from '#features/audit-trail/list/trail-view.ts'

interface DateMenuProps {
  range: TrailRange
  onChange: (range: TrailRange) => void
}

/** The days of the list, in one control: usual ranges and two dates. On a phone, only the dates, in the filter sheet. */
export function DateMenu({ range, onChange }: DateMenuProps) {
  const { t } = useTranslation('audit')
  const isNarrow = useNarrow()
  const [isOpen, setIsOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const label = useRangeLabel(range)
  useOutsidePress(root, isOpen, () => setIsOpen(false))
  if (isNarrow) return <DateFields {...{ range, onChange }} />
  const close = () => {
    setIsOpen(false)
    root.current?.querySelector('button')?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen || event.defaultPrevented) return
    event.stopPropagation()
    close()
  }
  const onBlur = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget instanceof Node && !root.current?.contains(relatedTarget)) setIsOpen(false)
  }
  return (
    // biome-ignore lint: Escape and the end of the focus close the panel
    <div className="trail-dates" ref={root} onKeyDown={onKeyDown} onBlur={onBlur}>
      <Button aria-haspopup="dialog" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <span className="sr-only">{t('dates.title')}: </span>
        {label} <Icon name="down" size={16} />
      </Button>
      {isOpen && (
        <div className="menu trail-dates-panel" role="dialog" aria-label={t('dates.title')}>
          <PresetButtons
            range={range}
            onChoose={(nextRange) => {
              close()
              onChange(nextRange)
            }}
          />
          <DateFields {...{ range, onChange }} />
        </div>
      )}
    </div>
  )
}

function PresetButtons({ range, onChoose }: { range: TrailRange; onChoose: (range: TrailRange) => void }) {
  const { t } = useTranslation('audit')
  const today = useToday(null)
  const selectedPreset = findPreset(range, today)
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const buttons = list.current
    const target = buttons?.querySelector<HTMLElement>('[aria-pressed=true]') ?? buttons?.querySelector('button')
    target?.focus({ preventScroll: true })
  }, [])
  return (
    <div className="trail-presets" ref={list}>
      {datePresets.map((preset) => (
        <button
          key={preset}
          type="button"
          className="menu-item"
          aria-pressed={preset === selectedPreset}
          onClick={() => onChoose(toPresetRange(preset, today))}
        >
          <span className="menu-words">{t(`dates.${preset}`)}</span>
          {preset === selectedPreset && <Icon name="check" size={16} />}
        </button>
      ))}
    </div>
  )
}

function DateFields({ range: { dateFrom, dateTo }, onChange }: DateMenuProps) {
  const { t } = useTranslation('audit')
  return (
    <div className="trail-range">
      <DateRange
        range={{ from: dateFrom ?? '', to: dateTo ?? '' }}
        names={{ from: 'dateFrom', to: 'dateTo' }}
        labels={{ from: t('filter.from'), to: t('filter.to') }}
        onChange={(range) => range && onChange({ dateFrom: range.from || null, dateTo: range.to || null })}
      />
    </div>
  )
}

/** "2026-11-01 – 11-30" is short enough for the row of filters. */
const removeSameYear = (from: string, to: string) => (to.startsWith(from.slice(0, 5)) ? to.slice(5) : to)

function useRangeLabel({ dateFrom, dateTo }: TrailRange): string {
  const { t } = useTranslation('audit')
  const preset = findPreset({ dateFrom, dateTo }, useToday(null))
  if (preset) return t(`dates.${preset}`)
  if (dateTo === null) return t('dates.since', { from: dateFrom })
  if (dateFrom === null) return t('dates.until', { to: dateTo })
  return dateFrom === dateTo ? dateFrom : t('dates.range', { from: dateFrom, to: removeSameYear(dateFrom, dateTo) })
}

function useOutsidePress(root: RefObject<HTMLElement | null>, isOpen: boolean, onPress: () => void) {
  const onPressRef = useRef(onPress)
  useEffect(() => {
    onPressRef.current = onPress
  })
  useEffect(() => {
    if (!isOpen) return
    const onPointerDown = ({ target }: Event) => {
      if (!(target instanceof Node && root.current?.contains(target))) onPressRef.current()
    }
    document.addEventListener('pointerdown', onPointerDown)
    return () => document.removeEventListener('pointerdown', onPointerDown)
  }, [root, isOpen])
}
