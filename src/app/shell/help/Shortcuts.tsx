import { useEffect, useRef } from 'react'
import { useNavigate } from 'react-router-dom'
import { places } from '#app/routes/paths.ts'
import { placeKeys } from '#app/shell/help/shortcut-keys.ts'
import { useSession } from '#state/hooks.ts'
import { isSingleKey } from '#ui/page/single-keys.ts'

/** So long after `g` another key names a place, ms. */
const pauseMs = 1_500

/** `?` shows the help; `g` and a second key lead to a place (C-21). `/` is the search's own. */
export function Shortcuts({ onHelp }: { onHelp: () => void }) {
  const go = useNavigate()
  const session = useSession()
  const caller = session.kind === 'signed in' ? session.caller : null
  /** When `g` was pressed. */
  const begun = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isSecond = event.timeStamp - begun.current < pauseMs
      begun.current = Number.NEGATIVE_INFINITY
      if (!isSingleKey(event)) return
      if (event.key === '?') onHelp()
      else if (isSecond) {
        const way = placeKeys(caller).find(({ key }) => key === event.key)
        if (!way) return
        void go(places[way.place].path)
      } else if (event.key === 'g') begun.current = event.timeStamp
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
  return null
}
