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
  return (
    <PrimeReactProvider value={{ nonce }}>
      <PrimeDialog
        visible
        header={title}
        footer={footer}
        position={side === 'right' ? 'right' : 'center'}
        className={side === 'right' ? 'drawer' : 'dialog'}
        ariaCloseIconLabel={t('form.close')}
        draggable={false}
        resizable={false}
        blockScroll
        onHide={onClose}
      >
        {children}
      </PrimeDialog>
    </PrimeReactProvider>
  )
}
