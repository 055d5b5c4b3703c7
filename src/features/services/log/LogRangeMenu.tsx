import { type FocusEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '#ui/display/Button.tsx'
import { useLatestCallback } from '#ui/display/useLatestCallback.ts'
import { Icon } from '#ui/icons/Icon.tsx'
import { useNarrow } from '#ui/list/useNarrow.ts'
import type { ServiceLogRange } from '#features/services/log/log-range.ts'
import { QuickSpans } from '#features/services/log/QuickSpans.tsx'
import { RangeFields } from '#features/services/log/RangeFields.tsx'
import type { useBusinessNow } from '#features/services/useBusinessNow.ts'

interface LogRangeMenuProps {
  /** The range of the displayed lines. */
  range: ServiceLogRange
  /** The range as typed, which may be invalid. */
  typedRange: ServiceLogRange
  clock: NonNullable<ReturnType<typeof useBusinessNow>>
  onChange: (range: ServiceLogRange) => void
}

/** The range of a log, in one control: usual ranges, start and end. On a phone they are in the filter sheet, without the button. */
export function LogRangeMenu({ range, typedRange, clock, onChange }: LogRangeMenuProps) {
  const { t } = useTranslation('services')
  const isNarrow = useNarrow()
  const [isOpen, setIsOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const hide = useLatestCallback(() => setIsOpen(false))
  useEffect(() => {
    if (!isOpen) return
    root.current?.querySelector<HTMLElement>('.log-range-panel button')?.focus()
    const onPointerDown = ({ target }: Event) => {
      if (!(target instanceof Node && root.current?.contains(target))) hide()
    }
    document.addEventListener('pointerdown', onPointerDown)
    return () => document.removeEventListener('pointerdown', onPointerDown)
  }, [isOpen, hide])
  const close = () => {
    setIsOpen(false)
    root.current?.querySelector('button')?.focus()
  }
  const fields = <RangeFields range={typedRange} currentMinute={clock.currentMinute} onChange={onChange} />
  if (isNarrow)
    return (
      <>
        <QuickSpans clock={clock} onChoose={onChange} />
        {fields}
      </>
    )
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
    <div className="log-range-menu" ref={root} onKeyDown={onKeyDown} onBlur={onBlur}>
      <Button icon="calendar" aria-haspopup="dialog" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <span className="sr-only">{t('log.range')}: </span>
        {t(range.to === '' ? 'log.since' : 'log.between', { ...range })} <Icon name="down" size={16} />
      </Button>
      {isOpen && (
        <div className="menu log-range-panel" role="dialog" aria-label={t('log.range')}>
          <QuickSpans
            clock={clock}
            onChoose={(nextRange) => {
              close()
              onChange(nextRange)
            }}
          />
          {fields}
        </div>
      )}
    </div>
  )
}
