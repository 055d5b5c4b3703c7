import { lazy, Suspense, useEffect } from 'react'
import { rememberFocus } from '#ui/overlay/focus-back.ts'
import type { DialogProps } from '#ui/prime/Dialog.tsx'

const loadDialog = () => import(/* chunk: prime */ '#ui/prime/Dialog.tsx')
const PrimeDialog = lazy(loadDialog)

/** Fetches the dialog's code before it is needed: called when a page with dialogs has come to rest. */
export const preloadDialog = () => void loadDialog().catch(() => undefined)

/**
 * Labelled by its title, focus inside and kept there, Escape closes, the focus goes back to where it was, or beside it. The
 * code is PrimeReact's and comes with the first dialog, so that no list pays for it on the way to its first row.
 */
export function Dialog(props: DialogProps) {
  return props.open ? <OpenDialog {...props} /> : null
}

function OpenDialog(props: DialogProps) {
  useEffect(() => rememberFocus(document.activeElement), [])
  return (
    <Suspense fallback={null}>
      <PrimeDialog {...props} />
    </Suspense>
  )
}
