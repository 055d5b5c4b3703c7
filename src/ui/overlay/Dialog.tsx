import { lazy, Suspense, useEffect } from 'react'
import type { DialogProps } from '#ui/prime/Dialog.tsx'

const load = () => import('#ui/prime/Dialog.tsx')
const Overlay = lazy(load)

/** Fetches the dialog's code before it is needed: called when a page with dialogs has come to rest. */
export const preloadDialog = () => void load().catch(() => undefined)

/**
 * Labelled by its title, focus inside and kept there, Escape closes, the focus goes back to where it was. The
 * code is PrimeReact's and comes with the first dialog, so that no list pays for it on the way to its first row.
 */
export function Dialog(props: DialogProps) {
  return props.open ? <Opened {...props} /> : null
}

function Opened(props: DialogProps) {
  useFocusBack()
  return (
    <Suspense fallback={null}>
      <Overlay {...props} />
    </Suspense>
  )
}

/** To the opener; to the page's heading where that is gone, as a deleted row's button is. */
function useFocusBack() {
  useEffect(() => {
    const opener = document.activeElement
    return () => {
      // After React has taken the dialog away: the focus of what it held is lost only then.
      setTimeout(() => {
        if (document.activeElement !== document.body) return
        const back = opener?.isConnected && opener !== document.body ? opener : document.querySelector('main h1')
        if (back instanceof HTMLElement) back.focus()
      })
    }
  }, [])
}
