import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react'
import { Link, useLocation } from 'react-router-dom'
import '#app/shell/app.css'
import '#ui/icons/app-icons.ts'
import { DatabaseBanner } from '#app/shell/DatabaseBanner.tsx'
import { Broken } from '#app/shell/ErrorBoundary.tsx'
import { loadWords } from '#app/i18n/i18n.ts'
import { whenSettled } from '#app/browser/idle.ts'
import { InsideRoutes } from '#app/routes/app-routes.tsx'
import { fetchLate } from '#app/pwa/retry-import.ts'
import { places } from '#app/routes/paths.ts'
import { AvatarMenu } from '#app/shell/header/UserMenu.tsx'
import { ConnectionState } from '#app/shell/header/ConnectionStatus.tsx'
import { Footer } from '#app/shell/Footer.tsx'
import { HelpButton } from '#app/shell/help/HelpButton.tsx'
import { Language } from '#app/shell/header/LanguageButton.tsx'
import { Navigation } from '#app/shell/Navigation.tsx'
import { SkipLink } from '#app/shell/SkipLink.tsx'
import { useDrained } from '#app/shell/useDrained.ts'
import { countLocked, isParked, readEntries, type EntryView } from '#local/outbox/read-entries.ts'
import { useSignedIn } from '#state/hooks.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { preloadDialog } from '#ui/overlay/Dialog.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { Mark } from '#ui/display/Logo.tsx'
import { TitleTail } from '#ui/page/Page.tsx'
import { Toasts } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { langOf } from '#ui/i18n/name-language.ts'

/** No page waits for these, nor breaks where one of them cannot be fetched. */
const later = (load: () => Promise<{ default: ComponentType }>) => lazy(() => whenSettled().then(() => fetchLate(load)))
const ActivityButton = later(async () => ({
  default: (await import('#app/shell/header/ActivityButton.tsx')).ActivityButton,
}))
const UpdateBar = later(async () => ({ default: (await import('#app/shell/Banners.tsx')).UpdateBar }))
const LossBar = later(async () => ({ default: (await import('#app/shell/DataLossBanner.tsx')).LossBar }))
const SpaceProbe = later(async () => ({ default: (await import('#app/connection/SpaceProbe.tsx')).SpaceProbe }))
const TimeZoneNote = later(async () => ({ default: (await import('#app/shell/TimeZoneNote.tsx')).TimeZoneNote }))
const SendReport = lazy(async () => {
  const [{ SendReport: Report }] = await Promise.all([
    import(/* chunk: pages */ '#features/outbox/SendReport.tsx'),
    loadWords('outbox', 'people', 'users', 'problem'),
  ])
  return { default: Report }
})
const Drawer = lazy(async () => ({ default: (await import('#app/shell/MobileNavigation.tsx')).Drawer }))

export { pageReady } from '#app/routes/app-routes.tsx'

/** The frame of the portal: one line above, the navigation beside, the page within. */
export function Shell() {
  const { t } = useTranslation('shell')
  const { user, caller } = useSignedIn()
  const [open, setOpen] = useState(false)
  // The code of dialogs comes when the page has come to rest, so that the first one opens at once.
  useEffect(() => {
    const timer = setTimeout(preloadDialog, 2000)
    return () => clearTimeout(timer)
  }, [])
  return (
    <TitleTail value={[user.company_name, t('product')]}>
      <SkipLink />
      <div className="shell">
        <header className="bar">
          <span className="bar-menu">
            <Button
              kind="plain"
              icon="menu"
              bare
              aria-haspopup="dialog"
              aria-expanded={open}
              onClick={() => setOpen(true)}
            >
              {t('openMenu')}
            </Button>
          </span>
          <Link className="bar-product" to={places.home.path} aria-label={t('toHome')}>
            <Mark />
          </Link>
          <span className="bar-company" title={user.company_name} lang={langOf(user.company_name)}>
            {user.company_name}
          </span>
          <span className="bar-space" />
          <LineAndWaiting />
          <Suspense fallback={<span className="bar-activity idle" />}>
            <ActivityButton />
          </Suspense>
          <HelpButton />
          <Language />
          <AvatarMenu />
        </header>
        <div className="rail">
          <Navigation caller={caller} />
        </div>
        <div className="body">
          <DatabaseBanner />
          <Suspense fallback={null}>
            <LossBar />
            <UpdateBar />
            <SpaceProbe />
          </Suspense>
          <main id="main" tabIndex={-1}>
            <Place />
          </main>
          <Footer>
            <Suspense fallback={null}>
              <TimeZoneNote />
            </Suspense>
          </Footer>
        </div>
        <Suspense fallback={null}>{open && <Drawer caller={caller} onClose={() => setOpen(false)} />}</Suspense>
        <Toasts />
      </div>
    </TitleTail>
  )
}

const pagesInside = <InsideRoutes />

/** By itself: another page, or another query of it, is no reason to draw the frame again. */
function Place() {
  const { pathname } = useLocation()
  return <Broken at={pathname}>{pagesInside}</Broken>
}

/** By itself: an entry that comes or goes is no reason to draw the page again. */
function LineAndWaiting() {
  const entries = useLiveQuery(() => readEntries(), [], none) ?? none
  const drained = useDrained(entries)
  const parked = entries.filter(isParked).length
  const locked = useLiveQuery(() => countLocked(), []) ?? 0
  return (
    <>
      <ConnectionState sending={entries.filter(({ state }) => state === 'sending').length} />
      <WaitingCount count={entries.length - parked + locked} />
      <WaitingCount count={parked} parked />
      <Suspense fallback={null}>{drained && <SendReport drained={drained} />}</Suspense>
    </>
  )
}
const none: EntryView[] = []

/** What this device has recorded and the server has not accepted yet, everywhere in the same amber; what was refused in red. */
function WaitingCount({ count, parked = false }: { count: number; parked?: boolean }) {
  const { t } = useTranslation('shell')
  if (count === 0) return null
  return (
    <Link
      className={`pending-mark bar-waiting${parked ? ' troubled' : ''}`}
      to={places.outbox.path}
      aria-label={t(parked ? 'needsYou' : 'waiting', { count })}
    >
      <Icon name={parked ? 'alert' : 'waiting'} size={16} />
      {count}
    </Link>
  )
}
