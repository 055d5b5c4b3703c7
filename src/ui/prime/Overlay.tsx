import { useRef } from 'react'
import { PrimeReactProvider } from 'primereact/api'
import { Dialog as PrimeDialog } from 'primereact/dialog'
import '#ui/prime/theme.css'
import '#ui/prime/overlay.css'
import type { DialogProps } from '#ui/Dialog.tsx'
import { useWords } from '#ui/words.ts'

/** PrimeReact writes its base styles at run time; the CSP lets them in by the build's nonce (H-01). */
const nonce = document.querySelector('meta[name=style-nonce]')?.getAttribute('content') ?? ''

export default function Overlay({ title, side = 'center', onClose, footer, children }: DialogProps) {
  const t = useWords('ui')
  const dialog = useRef<PrimeDialog>(null)
  return (
    <PrimeReactProvider value={{ nonce }}>
      <PrimeDialog
        ref={dialog}
        visible
        header={title}
        footer={footer}
        position={side === 'right' ? 'right' : 'center'}
        className={side === 'right' ? 'drawer' : 'dialog'}
        ariaCloseIconLabel={t('form.close')}
        draggable={false}
        resizable={false}
        blockScroll
        // Its own choice is the button that closes; ours is what the dialog is about.
        focusOnShow={false}
        onShow={() => focusWithin(dialog.current?.getElement() ?? null)}
        onHide={onClose}
      >
        {children}
      </PrimeDialog>
    </PrimeReactProvider>
  )
}

/** The first field; without fields the first button, unless something has asked for the focus itself (A-10, C-16). */
function focusWithin(dialog: HTMLElement | null) {
  if (!dialog || dialog.contains(document.activeElement)) return
  const enabled = ':not(:disabled):not([readonly])'
  const field = dialog.querySelector<HTMLElement>(
    `.p-dialog-content :is(input:checked${enabled}, input:not([type=radio])${enabled}, select${enabled}, textarea${enabled})`,
  )
  const target = field ?? dialog.querySelector<HTMLElement>('.p-dialog-footer button, .p-dialog-header-close')
  target?.focus()
}
