import { lazy, Suspense, useEffect } from 'react'
import { keepPlace } from '#ui/overlay/focus-back.ts'
import type { DialogProps } from '#ui/prime/Dialog.tsx'

const load = () => import(/* chunk: prime */ '#ui/prime/Dialog.tsx')
const Overlay = lazy(load)

/** Fetches the dialog's code before it is needed: called when a page with dialogs has come to rest. */
export const preloadDialog = () => void load().catch(() => undefined)

/**
 * Labelled by its title, focus inside and kept there, Escape closes, the focus goes back to where it was, or beside it. The
 * code is PrimeReact's and comes with the first dialog, so that no list pays for it on the way to its first row.
 */
export function Dialog(props: DialogProps) {
  return props.open ? <Opened {...props} /> : null
}

function Opened(props: DialogProps) {
  useEffect(() => keepPlace(document.activeElement), [])
  return (
    <Suspense fallback={null}>
      <Overlay {...props} />
    </Suspense>
  )
}
