import { lazy, Suspense } from 'react'
import { loadWords } from '#app/i18n/i18n.ts'
import { whenSettled } from '#app/browser/idle.ts'
import { fetchLate } from '#app/pwa/retry-import.ts'
import { useOpenOverPage } from '#app/browser/useOpenOverPage.ts'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'

const Help = lazy(async () => {
  const [{ Help: Drawn }] = await Promise.all([import('#app/shell/help/HelpDialog.tsx'), loadWords('help')])
  return { default: Drawn }
})
const Shortcuts = lazy(async () => {
  await whenSettled()
  return { default: (await fetchLate(() => import('#app/shell/help/Shortcuts.tsx'))).Shortcuts }
})

/** At the same place on every page, for visitors too; the keys that lead about come with it. */
export function HelpButton() {
  const { t } = useTranslation('shell')
  const [open, setOpen] = useOpenOverPage()
  const show = () => setOpen(true)
  return (
    <>
      <Button kind="plain" bare icon="help" aria-haspopup="dialog" onClick={show}>
        {t('help')}
      </Button>
      <Suspense fallback={null}>
        <Shortcuts onHelp={show} />
      </Suspense>
      <Suspense fallback={null}>{open && <Help onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}
