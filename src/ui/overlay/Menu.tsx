import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import '#ui/icons/app-icons.ts'
import { Button, type ButtonProps } from '#ui/display/Button.tsx'
import { Icon, type IconName } from '#ui/icons/Icon.tsx'
import { keepPlace } from '#ui/overlay/focus-back.ts'

export interface MenuItem {
  key: string
  label: string
  icon?: IconName
  /** Set apart from the others, last in the list (T-01). */
  danger?: boolean
  /** Shown as chosen: one of a few. */
  chosen?: boolean
  whyNot?: string | null | undefined
  onSelect: () => void
}

interface MenuProps {
  /** What the button is called. */
  label: string
  items: MenuItem[]
  icon?: IconName
  bare?: boolean
  kind?: ButtonProps['kind']
  heading?: React.ReactNode
  /** In place of the icon: a picture, initials. */
  face?: React.ReactNode
  /** How the button is called that stands for a lone item, beside others of that name. */
  nameOne?: (item: string) => string
}

/**
 * A button with a list of things to do: arrows, Home, End, first letters, Escape; the focus comes back to the button. One thing
 * alone is a button of its own.
 */
export function Menu({ label, items, icon = 'more', bare = true, kind = 'plain', heading, face, nameOne }: MenuProps) {
  const [open, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()
  const close = (back: boolean) => {
    setOpen(false)
    if (!back) return
    button.current?.focus()
    // What is chosen may take the row away, and the button with it.
    keepPlace(button.current)()
  }
  const [only] = items
  if (only && items.length === 1 && !heading)
    return (
      <Button kind={kind} icon={only.icon ?? icon} bare={bare} whyNot={only.whyNot} onClick={only.onSelect}>
        {nameOne?.(only.label) ?? only.label}
      </Button>
    )
  return (
    <>
      <Button
        ref={button}
        kind={kind}
        icon={icon}
        face={face}
        bare={bare}
        aria-haspopup="menu"
        aria-expanded={open}
        {...(open ? { 'aria-controls': id } : {})}
        onClick={() => setOpen(!open)}
      >
        {label}
      </Button>
      {open && <MenuList {...{ id, label, items, heading, close, anchor: button }} />}
    </>
  )
}

interface ListProps {
  id: string
  label: string
  items: MenuItem[]
  heading?: React.ReactNode
  close: (back: boolean) => void
  anchor: React.RefObject<HTMLElement | null>
}

function MenuList({ id, label, items, heading, close, anchor }: ListProps) {
  const list = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (list.current && anchor.current) place(list.current, anchor.current.getBoundingClientRect())
    entries(list.current)[0]?.focus({ preventScroll: true })
  }, [anchor])
  useEffect(() => {
    const isOurs = ({ target }: Event) =>
      target instanceof Node && (list.current?.contains(target) || anchor.current?.contains(target))
    const away = (event: Event) => {
      if (!isOurs(event)) close(false)
    }
    // It goes where its button goes: what still comes in above it takes nothing away that one is about to press.
    const follow = () => {
      const at = anchor.current?.getBoundingClientRect()
      if (!at || at.bottom < 0 || at.top > innerHeight) close(false)
      else if (list.current) place(list.current, at)
    }
    const scrolled = (event: Event) => {
      if (!isOurs(event)) follow()
    }
    const grown = new ResizeObserver(follow)
    grown.observe(document.body)
    document.addEventListener('pointerdown', away)
    window.addEventListener('resize', follow)
    window.addEventListener('scroll', scrolled, true)
    return () => {
      grown.disconnect()
      document.removeEventListener('pointerdown', away)
      window.removeEventListener('resize', follow)
      window.removeEventListener('scroll', scrolled, true)
    }
  }, [anchor, close])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.stopPropagation()
      event.preventDefault()
      close(true)
    } else if (event.key === 'Tab') close(true)
    else if (moveFocus(entries(list.current), event.key)) event.preventDefault()
  }
  // In main, not in body: what floats still belongs to a landmark. Dialogs are kept out of it by their own layer.
  const home = anchor.current?.closest('[role=dialog]') ?? document.querySelector('main') ?? document.body
  return createPortal(
    <div className="menu" ref={list}>
      {heading && <div className="menu-heading">{heading}</div>}
      {/* biome-ignore lint: the items take the focus */}
      <div role="menu" id={id} aria-label={label} onKeyDown={onKeyDown}>
        {items.map((item) => (
          <Entry key={item.key} item={item} close={close} />
        ))}
      </div>
    </div>,
    home,
  )
}

function Entry({ item, close }: { item: MenuItem; close: (back: boolean) => void }) {
  const reasonId = useId()
  const select = () => {
    if (item.whyNot) return
    close(true)
    item.onSelect()
  }
  return (
    <button
      type="button"
      role={item.chosen === undefined ? 'menuitem' : 'menuitemradio'}
      aria-checked={item.chosen}
      tabIndex={-1}
      className={`menu-item${item.danger ? ' danger' : ''}`}
      aria-disabled={item.whyNot ? true : undefined}
      aria-describedby={item.whyNot ? reasonId : undefined}
      onClick={select}
    >
      {item.icon ? <Icon name={item.icon} /> : <span className="icon" />}
      <span className="menu-words">
        {item.label}
        {item.whyNot && (
          <span className="menu-reason" id={reasonId}>
            {item.whyNot}
          </span>
        )}
      </span>
      {item.chosen && <Icon name="check" size={16} />}
    </button>
  )
}

const entries = (list: HTMLElement | null) => [...(list?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])]

function moveFocus(items: HTMLElement[], key: string): boolean {
  const now = items.findIndex((item) => item === document.activeElement)
  const steps: Record<string, number> = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: -1 }
  const step = steps[key]
  if (step !== undefined) items.at(step % items.length)?.focus()
  else if (key.length === 1 && key !== ' ') {
    const after = [...items.slice(now + 1), ...items.slice(0, now + 1)]
    after.find((item) => item.textContent?.trim().toLowerCase().startsWith(key.toLowerCase()))?.focus()
  } else return false
  return true
}

/** Below its button and inside the window; above it where there is no room below. */
function place(list: HTMLElement, at: DOMRect) {
  const { offsetWidth: width, offsetHeight: height } = list
  const left = Math.max(8, Math.min(at.right - width, innerWidth - width - 8))
  const below = at.bottom + 4
  const top = below + height > innerHeight - 8 ? Math.max(8, at.top - height - 4) : below
  list.style.insetInlineStart = `${left}px`
  list.style.insetBlockStart = `${top}px`
}
