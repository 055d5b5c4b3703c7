import { lazy, Suspense, useEffect } from 'react'
import { rememberFocus } from '#ui/overlay/focus-back.ts'
import type { DialogProps } from '#ui/prime/Dialog.tsx'

const loadDialog = () => import(/* chunk: prime */ '#ui/prime/Dialog.tsx')
const PrimeDialog = lazy(loadDialog)

/** Loads the dialog's code in advance. Call it when a page with dialogs is idle. */
export const preloadDialog = () => void loadDialog().catch(() => undefined)

/**
 * A dialog with a label and a focus trap. Escape closes it, and the focus returns to the previous element or one next to it. It uses
 * PrimeReact, which is loaded with the first dialog, so that the first list is displayed sooner.
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
