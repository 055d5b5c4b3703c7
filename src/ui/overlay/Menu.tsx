import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { Button, type ButtonProps } from '#ui/display/Button.tsx'
import { Icon, type IconName } from '#ui/icons/Icon.tsx'
import { rememberFocus } from '#ui/overlay/focus-back.ts'

export interface MenuItem {
  key: string
  label: string
  /** Explains the item below its label. A disabled item shows its reason instead. */
  hint?: string | undefined
  icon?: IconName
  /** Displayed apart from the other items. Such items must be at the end of the list (T-01). */
  isDestructive?: boolean
  /** Whether the item is the selected one of its group, or the state of a switch. */
  isChosen?: boolean
  /** The item is switched on and off by itself. */
  isSwitch?: boolean
  hasDialog?: boolean
  /** Name of the choices that the item belongs to. A low window has them in one row. */
  group?: string
  disabledReason?: string | null | undefined
  onSelect: () => void
}

interface MenuProps {
  label: string
  items: MenuItem[]
  icon?: IconName
  isIconOnly?: boolean
  kind?: ButtonProps['kind']
  heading?: React.ReactNode
  iconReplacement?: React.ReactNode
  /** Returns the accessible name of the button that replaces a menu with a single item, if the page has several such buttons. */
  formatSingleLabel?: (item: string) => string
}

/**
 * A menu with the usual keys: arrows, Home, End, first letters and Escape. The focus returns to its button. A single item without a heading
 * becomes a button.
 */
export function Menu({
  label,
  items,
  icon = 'more',
  isIconOnly = true,
  kind = 'plain',
  heading,
  iconReplacement,
  formatSingleLabel,
}: MenuProps) {
  const [isOpen, setIsOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()
  const close = (shouldReturnFocus: boolean) => {
    setIsOpen(false)
    if (!shouldReturnFocus) return
    button.current?.focus()
    // The focus moves to a neighbour if the selected action removes the row with this button.
    rememberFocus(button.current)()
  }
  const singleItem = getSingleItem(items, heading)
  if (singleItem)
    return (
      <Button
        kind={kind}
        icon={singleItem.icon ?? icon}
        isIconOnly={isIconOnly}
        disabledReason={singleItem.disabledReason}
        {...(singleItem.isSwitch ? { 'aria-pressed': singleItem.isChosen ?? false } : {})}
        {...(singleItem.hasDialog ? { 'aria-haspopup': 'dialog' as const } : {})}
        onClick={singleItem.onSelect}
      >
        {formatSingleLabel?.(singleItem.label) ?? singleItem.label}
      </Button>
    )
  return (
    <>
      <Button
        ref={button}
        kind={kind}
        icon={icon}
        iconReplacement={iconReplacement}
        isIconOnly={isIconOnly}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setIsOpen(!isOpen)}
      >
        {label}
      </Button>
      {isOpen && <MenuList {...{ id, label, items, heading, close, anchor: button }} />}
    </>
  )
}

const getSingleItem = (items: MenuItem[], heading: React.ReactNode) =>
  items.length === 1 && !heading ? items[0] : undefined

interface MenuListProps {
  id: string
  label: string
  items: MenuItem[]
  heading?: React.ReactNode
  close: (shouldReturnFocus: boolean) => void
  anchor: React.RefObject<HTMLElement | null>
}

function MenuList({ id, label, items, heading, close, anchor }: MenuListProps) {
  const list = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (list.current && anchor.current) positionMenu(list.current, anchor.current.getBoundingClientRect())
    getEntries(list.current)[0]?.focus({ preventScroll: true })
  }, [anchor])
  useEffect(() => {
    const isInside = ({ target }: Event) =>
      target instanceof Node && (list.current?.contains(target) || anchor.current?.contains(target))
    const handlePointerDown = (event: Event) => {
      if (!isInside(event)) close(false)
    }
    // The list follows its button when content is inserted above it, so that the pointer stays on the same item.
    const updatePosition = () => {
      const anchorRect = anchor.current?.getBoundingClientRect()
      if (!anchorRect || anchorRect.bottom < 0 || anchorRect.top > innerHeight) close(false)
      else if (list.current) positionMenu(list.current, anchorRect)
    }
    const handleScroll = (event: Event) => {
      if (!isInside(event)) updatePosition()
    }
    const resizeObserver = new ResizeObserver(updatePosition)
    resizeObserver.observe(document.body)
    document.addEventListener('pointerdown', handlePointerDown)
    window.addEventListener('resize', updatePosition)
    window.addEventListener('scroll', handleScroll, true)
    return () => {
      resizeObserver.disconnect()
      document.removeEventListener('pointerdown', handlePointerDown)
      window.removeEventListener('resize', updatePosition)
      window.removeEventListener('scroll', handleScroll, true)
    }
  }, [anchor, close])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.stopPropagation()
      event.preventDefault()
      close(true)
    } else if (event.key === 'Tab') close(true)
    else if (moveFocus(getEntries(list.current), event.key)) event.preventDefault()
  }
  // The list is rendered in `main`, not in `body`, so that it belongs to a landmark. In a dialog it is rendered in the dialog, which
  // is on a higher layer.
  const container = anchor.current?.closest('[role=dialog]') ?? document.querySelector('main') ?? document.body
  return createPortal(
    <div className="menu" ref={list}>
      {heading && <div className="menu-heading">{heading}</div>}
      {/* biome-ignore lint: the items take the focus */}
      <div role="menu" id={id} aria-label={label} onKeyDown={onKeyDown}>
        {groupItems(items).map((group) =>
          group.length === 1 ? (
            group.map((item) => <MenuItemButton key={item.key} item={item} close={close} />)
          ) : (
            // biome-ignore lint: a group of a menu is not a fieldset
            <div key={group[0]?.key} role="group" aria-label={group[0]?.group} className="menu-choices">
              {group.map((item) => (
                <MenuItemButton key={item.key} item={item} close={close} />
              ))}
            </div>
          ),
        )}
      </div>
    </div>,
    container,
  )
}

/** Items with the same `group` that follow each other. Each other item is alone. */
function groupItems(items: readonly MenuItem[]): MenuItem[][] {
  const groups: MenuItem[][] = []
  for (const item of items) {
    const lastGroup = groups.at(-1)
    if (item.group !== undefined && lastGroup?.[0]?.group === item.group) lastGroup.push(item)
    else groups.push([item])
  }
  return groups
}

function MenuItemButton({ item, close }: { item: MenuItem; close: (shouldReturnFocus: boolean) => void }) {
  const reasonId = useId()
  const note = item.disabledReason || item.hint
  const select = () => {
    if (item.disabledReason) return
    close(true)
    item.onSelect()
  }
  return (
    <button
      type="button"
      role={getRole(item)}
      aria-haspopup={item.hasDialog ? 'dialog' : undefined}
      aria-checked={item.isChosen}
      tabIndex={-1}
      className={`menu-item${item.isDestructive ? ' danger' : ''}`}
      aria-disabled={item.disabledReason ? true : undefined}
      aria-describedby={note ? reasonId : undefined}
      onClick={select}
    >
      {item.icon ? <Icon name={item.icon} /> : <span className="icon" />}
      <span className="menu-words">
        {item.label}
        {note && (
          // It is the description, so it is no part of the name.
          <span className="menu-reason" id={reasonId} aria-hidden="true">
            {note}
          </span>
        )}
      </span>
      {item.isChosen && <Icon name="check" size={16} />}
    </button>
  )
}

function getRole({ isChosen, isSwitch }: MenuItem) {
  if (isSwitch) return 'menuitemcheckbox'
  return isChosen === undefined ? 'menuitem' : 'menuitemradio'
}

const getEntries = (list: HTMLElement | null) => [...(list?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])]

function moveFocus(items: HTMLElement[], key: string): boolean {
  const currentIndex = items.findIndex((item) => item === document.activeElement)
  const [next, previous] = [currentIndex + 1, currentIndex - 1]
  // In a low window items are also next to each other.
  const steps: Record<string, number> = {
    ArrowDown: next,
    ArrowRight: next,
    ArrowUp: previous,
    ArrowLeft: previous,
    Home: 0,
    End: -1,
  }
  const step = steps[key]
  if (step !== undefined) items.at(step % items.length)?.focus()
  else if (key.length === 1 && key !== ' ') {
    const nextItems = [...items.slice(currentIndex + 1), ...items.slice(0, currentIndex + 1)]
    nextItems.find((item) => item.textContent?.trim().toLowerCase().startsWith(key.toLowerCase()))?.focus()
  } else return false
  return true
}

/** Places the list below its button and inside the window, or above the button if there is no space below. */
function positionMenu(list: HTMLElement, anchorRect: DOMRect) {
  const { offsetWidth: width, offsetHeight: height } = list
  const left = Math.max(8, Math.min(anchorRect.right - width, innerWidth - width - 8))
  const topBelow = anchorRect.bottom + 4
  const top = topBelow + height > innerHeight - 8 ? Math.max(8, anchorRect.top - height - 4) : topBelow
  list.style.insetInlineStart = `${left}px`
  list.style.insetBlockStart = `${top}px`
}
