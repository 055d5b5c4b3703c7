import { useEffect, useRef } from 'react'
import type { Caller } from '#domain/access.ts'
import { Navigation } from '#app/shell/Navigation.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { Logo } from '#ui/display/Logo.tsx'
import { useTranslation } from 'react-i18next'

/** The navigation on a phone. The browser's modal dialog keeps the focus inside, closes on Escape and restores the focus. */
export function MobileNavigation({ caller, onClose }: { caller: Caller; onClose: () => void }) {
  const { t } = useTranslation('shell')
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const openDialog = dialog.current
    openDialog?.showModal()
    return () => openDialog?.close()
  }, [])
  return (
    // biome-ignore lint: a tap beside the drawer closes it; the keyboard has Escape and the button
    <dialog
      ref={dialog}
      className="nav-drawer"
      aria-label={t('navigation')}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div className="nav-drawer-inside">
        <div className="nav-drawer-head">
          <Logo />
          <strong>{t('product')}</strong>
          <span className="bar-space" />
          <button type="button" className="button bare" aria-label={t('closeMenu')} onClick={onClose}>
            <Icon name="close" />
          </button>
        </div>
        <Navigation caller={caller} onNavigate={onClose} />
      </div>
    </dialog>
  )
}
