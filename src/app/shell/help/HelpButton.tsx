import { lazy, Suspense, useEffect } from 'react'
import { loadWithMessages } from '#app/i18n/page-messages.ts'
import { waitForFirstPage } from '#app/browser/idle.ts'
import { retryImport } from '#app/pwa/retry-import.ts'
import { useOpenOverPage } from '#app/browser/useOpenOverPage.ts'
import { setHelpListener } from '#app/shell/help/open-help.ts'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'

const LazyHelpDialog = lazy(async () => {
  const { HelpDialog } = await loadWithMessages(() => import('#app/shell/help/HelpDialog.tsx'), 'help')
  return { default: HelpDialog }
})
const LazyShortcuts = lazy(async () => {
  await waitForFirstPage()
  return { default: (await retryImport(() => import('#app/shell/help/Shortcuts.tsx'))).Shortcuts }
})

/**
 * Opens the help. It is at the same position on every page, for visitors too. On a small phone it `isInMenu`: the account menu opens
 * it, and the company name has its space. The keyboard shortcuts are loaded with it.
 */
export function HelpButton({ isInMenu = false }: { isInMenu?: boolean }) {
  const { t } = useTranslation('shell')
  const [isOpen, setIsOpen] = useOpenOverPage()
  const show = () => setIsOpen(true)
  useEffect(() => setHelpListener(show))
  return (
    <>
      {!isInMenu && (
        <Button kind="plain" isIconOnly icon="help" aria-haspopup="dialog" onClick={show}>
          {t('help')}
        </Button>
      )}
      <Suspense fallback={null}>
        <LazyShortcuts onHelp={show} />
      </Suspense>
      <Suspense fallback={null}>{isOpen && <LazyHelpDialog onClose={() => setIsOpen(false)} />}</Suspense>
    </>
  )
}
