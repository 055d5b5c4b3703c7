import { useEffect, useRef } from 'react'
import { useHref, useLocation, useNavigate } from 'react-router-dom'
import { routes } from '#app/routes/paths.ts'
import { findParentPath, focusRowOf, handleListKey } from '#app/shell/help/list-keys.ts'
import { getShortcutKeys } from '#app/shell/help/shortcut-keys.ts'
import { useSession } from '#state/use-store.ts'
import { readSingleKey } from '#ui/page/single-keys.ts'

/** Maximum time between `g` and the second key, in ms. */
const maxPauseMs = 1_500

/**
 * `?` opens the help; `g` and a second key open a page; other keys act on the list; Escape goes back to the parent page (C-21). `/` belongs to
 * the list's search field.
 */
export function Shortcuts({ onHelp }: { onHelp: () => void }) {
  const navigate = useNavigate()
  const session = useSession()
  const caller = session.kind === 'signed in' ? session.caller : null
  const goPressedAt = useRef(Number.NEGATIVE_INFINITY)
  const goBack = useGoBack()
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const key = readSingleKey(event)
      // Keys such as Shift and Caps Lock, which are pressed before a second key, change nothing.
      if (key !== null && modifierKeys.has(key)) return
      const isSecond = event.timeStamp - goPressedAt.current < maxPauseMs
      goPressedAt.current = Number.NEGATIVE_INFINITY
      if (key === null || key === 'Escape') return
      if (key === '?') onHelp()
      else if (isSecond) {
        const shortcut = getShortcutKeys(caller).find((entry) => entry.key === key)
        if (!shortcut) return
        void navigate(routes[shortcut.routeName].path)
      } else if (key === 'g') goPressedAt.current = event.timeStamp
      else if (caller === null || !handleListKey(key, event.repeat)) return
      event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
  useEscapeKey(goBack)
  return null
}

const modifierKeys = new Set(['Shift', 'CapsLock', 'Control', 'Alt', 'AltGraph', 'Meta', 'Fn'])

/** Returns a function that opens the parent page and focuses the row of this page there. It returns to the list as it was left. */
function useGoBack(): () => boolean {
  const navigate = useNavigate()
  const href = useHref('/')
  const { pathname } = useLocation()
  const entered = useRef<{ pathname: string; from: string | null; index: number }>({ pathname, from: null, index: 0 })
  useEffect(() => {
    const from = entered.current.pathname
    if (from !== pathname) entered.current = { pathname, from, index: readHistoryIndex() }
  }, [pathname])
  return () => {
    const parentHref = findParentPath()
    if (parentHref === null) return false
    const parentUrl = new URL(parentHref, location.href)
    const parentPath = parentUrl.pathname.slice(href.replace(/\/$/, '').length)
    focusRowOf(location.pathname)
    // The page may have added steps to the history, for example by its tabs.
    const steps = readHistoryIndex() - entered.current.index + 1
    if (entered.current.from === parentPath && steps > 0) void navigate(-steps)
    else void navigate(parentPath + parentUrl.search)
    return true
  }
}

/** Position in the history of this visit, which the router stores in the browser's history. */
const readHistoryIndex = (): number => Number((history.state as { idx?: number } | null)?.idx ?? 0)

/**
 * Calls `onEscape` for a pressed Escape that nothing else on the page uses: no overlay, field or selection. What was open is read before other
 * handlers of the key run, and whether one of them used the key after all of them.
 */
function useEscapeKey(onEscape: () => boolean) {
  useEffect(() => {
    let isFree = false
    const onCapture = (event: KeyboardEvent) => {
      isFree = event.key === 'Escape' && !event.repeat && readSingleKey(event) === 'Escape'
    }
    const onKey = (event: KeyboardEvent) => {
      if (isFree && !event.defaultPrevented && onEscape()) event.preventDefault()
    }
    window.addEventListener('keydown', onCapture, true)
    window.addEventListener('keydown', onKey)
    return () => {
      window.removeEventListener('keydown', onCapture, true)
      window.removeEventListener('keydown', onKey)
    }
  })
}
