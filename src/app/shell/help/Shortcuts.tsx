import { useEffect, useRef } from 'react'
import { useNavigate } from 'react-router-dom'
import { routes } from '#app/routes/paths.ts'
import { handleListKey } from '#app/shell/help/list-keys.ts'
import { getShortcutKeys } from '#app/shell/help/shortcut-keys.ts'
import { useSession } from '#state/use-store.ts'
import { isSingleKey } from '#ui/page/single-keys.ts'

/** Maximum time between `g` and the second key, in ms. */
const maxPauseMs = 1_500

/** `?` opens the help; `g` and a second key open a page; other keys act on the list (C-21). `/` belongs to the list's search field. */
export function Shortcuts({ onHelp }: { onHelp: () => void }) {
  const navigate = useNavigate()
  const session = useSession()
  const caller = session.kind === 'signed in' ? session.caller : null
  const goPressedAt = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isSecond = event.timeStamp - goPressedAt.current < maxPauseMs
      goPressedAt.current = Number.NEGATIVE_INFINITY
      if (!isSingleKey(event)) return
      if (event.key === '?') onHelp()
      else if (isSecond) {
        const shortcut = getShortcutKeys(caller).find(({ key }) => key === event.key)
        if (!shortcut) return
        void navigate(routes[shortcut.routeName].path)
      } else if (event.key === 'g') goPressedAt.current = event.timeStamp
      else if (caller === null || !handleListKey(event.key)) return
      event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
  return null
}
