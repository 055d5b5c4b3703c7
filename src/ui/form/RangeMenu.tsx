import '#ui/form/range-menu.css'
import { type FocusEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '#ui/display/Button.tsx'
import { useLatestCallback } from '#ui/display/useLatestCallback.ts'
import { Icon, type IconName } from '#ui/icons/Icon.tsx'

interface RangeMenuProps {
  /** Names the control and its panel. */
  title: string
  /** The selected range, as short as the row of filters needs it. */
  text: string
  icon?: IconName
  /** Class of the panel. */
  className: string
  /** Renders the panel. `close` also moves the focus back to the button. */
  children: (close: () => void) => ReactNode
}

/** A range of days or of times in one control: a button with the range, and below it a panel with usual ranges and two fields. */
export function RangeMenu({ title, text, icon, className, children }: RangeMenuProps) {
  const [isOpen, setIsOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const hide = useLatestCallback(() => setIsOpen(false))
  useEffect(() => {
    if (!isOpen) return
    const panel = root.current?.querySelector('[role=dialog]')
    const target = panel?.querySelector<HTMLElement>('[aria-pressed=true]') ?? panel?.querySelector('button')
    target?.focus({ preventScroll: true })
    const onPointerDown = ({ target: pressed }: Event) => {
      if (!(pressed instanceof Node && root.current?.contains(pressed))) hide()
    }
    document.addEventListener('pointerdown', onPointerDown)
    return () => document.removeEventListener('pointerdown', onPointerDown)
  }, [isOpen, hide])
  const close = useLatestCallback(() => {
    setIsOpen(false)
    root.current?.querySelector('button')?.focus()
  })
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
    <div className="range-menu" ref={root} onKeyDown={onKeyDown} onBlur={onBlur}>
      <Button icon={icon} aria-haspopup="dialog" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <span className="sr-only">{title}: </span>
        {text} <Icon name="down" size={16} />
      </Button>
      {isOpen && (
        <div className={`menu range-menu-panel ${className}`} role="dialog" aria-label={title}>
          {children(close)}
        </div>
      )}
    </div>
  )
}
