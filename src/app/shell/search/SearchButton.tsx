import { lazy, Suspense, useEffect, useState } from 'react'
import { loadWithMessages } from '#app/i18n/page-messages.ts'
import { popstateGuard } from '#ui/navigation-guard/popstate.ts'
import { isApple } from '#ui/page/is-apple.ts'
import { toLatinKey } from '#ui/page/single-keys.ts'
import { waitForFirstPage } from '#app/browser/idle.ts'
import { useOpenOverPage } from '#app/browser/useOpenOverPage.ts'
import { retryImport } from '#app/pwa/retry-import.ts'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

const loadPalette = () =>
  loadWithMessages(() => retryImport(() => import(/* chunk: pages */ '#app/shell/search/SearchPalette.tsx')), 'search')
const LazyPalette = lazy(async () => ({ default: (await loadPalette()).SearchPalette }))

/** True below a question that must be answered first, and below a drawer whose unsaved input would be lost. */
const isBlocked = () =>
  document.querySelector('[role=dialog]:not(.drawer), dialog[open]') !== null ||
  (popstateGuard.holdStep !== null && document.querySelector('[role=dialog]') !== null)

/** Opens the search, also by Ctrl K (⌘ K on Apple devices). It looks like a field; on phones it is an icon. */
export function SearchButton() {
  const { t } = useTranslation('shell')
  const [isOpen, setIsOpen] = useOpenOverPage()
  // The palette stays after it was loaded: it follows which items the user opens, and its index is built once.
  const [isLoaded, setIsLoaded] = useState(false)
  useEffect(() => {
    let isActive = true
    void waitForFirstPage().then(() => isActive && setIsLoaded(true))
    const onKey = (event: KeyboardEvent) => {
      const isShortcut = (isApple ? event.metaKey : event.ctrlKey) && toLatinKey(event) === 'k'
      if (!isShortcut || event.shiftKey || event.altKey || event.defaultPrevented) return
      event.preventDefault()
      if (!isBlocked()) setIsOpen(true)
    }
    document.addEventListener('keydown', onKey)
    return () => {
      isActive = false
      document.removeEventListener('keydown', onKey)
    }
    // oxlint-disable-next-line react/exhaustive-deps
  }, [])
  return (
    <>
      <button
        type="button"
        className="bar-search"
        aria-haspopup="dialog"
        aria-keyshortcuts={isApple ? 'Meta+K' : 'Control+K'}
        onClick={() => setIsOpen(true)}
      >
        <Icon name="search" size={16} />
        <span className="bar-search-text" title={t('searchPrompt')}>
          {t('searchPrompt')}
        </span>
        <kbd aria-hidden="true">{isApple ? '⌘ K' : 'Ctrl K'}</kbd>
      </button>
      <Suspense fallback={null}>
        {(isLoaded || isOpen) && <LazyPalette isOpen={isOpen} onClose={() => setIsOpen(false)} />}
      </Suspense>
    </>
  )
}
