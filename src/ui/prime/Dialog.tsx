import '#ui/prime/theme.css'
import '#ui/prime/overlay.css'
import { Dialog as PrimeDialog } from 'primereact/dialog'
import { type ReactNode, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Prime } from '#ui/prime/Prime.tsx'

const sides = { right: 'drawer', bottom: 'sheet' } as const

export default function Overlay({ title, side = 'center', wide, onClose, footer, children }: DialogProps) {
  const { t } = useTranslation('ui')
  const dialog = useRef<PrimeDialog>(null)
  return (
    <Prime>
      <PrimeDialog
        ref={dialog}
        visible
        header={title}
        footer={footer}
        position={side}
        className={side === 'center' ? (wide ? 'dialog wide' : 'dialog') : sides[side]}
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
    </Prime>
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

export interface DialogProps {
  open: boolean
  title: string
  /** In the middle, as a drawer at the right (look: a drawer for small edits), or as a sheet from below on a phone. */
  side?: 'center' | 'right' | 'bottom'
  /** Room for something of 700 pixels. */
  wide?: boolean
  onClose: () => void
  footer?: ReactNode
  children: ReactNode
}
