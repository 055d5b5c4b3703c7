import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react'
import { Link, useLocation } from 'react-router-dom'
import '#app/shell/app.css'
import '#ui/icons/app-icons.ts'
import { DatabaseBanner } from '#app/shell/DatabaseBanner.tsx'
import { ErrorBoundary } from '#app/shell/ErrorBoundary.tsx'
import { loadWithMessages } from '#app/i18n/page-messages.ts'
import { waitForFirstPage } from '#app/browser/idle.ts'
import { SignedInRoutes } from '#app/routes/app-routes.tsx'
import { retryImport } from '#app/pwa/retry-import.ts'
import { routes } from '#app/routes/paths.ts'
import { UserMenu } from '#app/shell/header/UserMenu.tsx'
import { ConnectionStatus } from '#app/shell/header/ConnectionStatus.tsx'
import { Footer } from '#app/shell/Footer.tsx'
import { hasClientTypeSelect } from '#app/routes/client-type-routes.ts'
import { HelpButton } from '#app/shell/help/HelpButton.tsx'
import { LanguageButton } from '#app/shell/header/LanguageButton.tsx'
import { Navigation } from '#app/shell/Navigation.tsx'
import { SearchButton } from '#app/shell/search/SearchButton.tsx'
import { SkipLink } from '#app/shell/SkipLink.tsx'
import { useEndedEntries } from '#app/shell/useEndedEntries.ts'
import { countLocked, isParked, readEntries, type EntryView } from '#local/outbox/read-entries.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { preloadDialog } from '#ui/overlay/Dialog.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { Logo } from '#ui/display/Logo.tsx'
import { TitleSuffix } from '#ui/page/Page.tsx'
import { Toasts } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { useMedia } from '#ui/display/useMedia.ts'
import { getNameLang } from '#ui/i18n/name-language.ts'

/** Creates a part of the layout that no page waits for. If its code cannot be loaded, it is retried and the page works without it. */
const defer = (load: () => Promise<ComponentType>) =>
  lazy(async () => {
    await waitForFirstPage()
    return { default: await retryImport(load) }
  })
const ActivityButton = defer(async () => (await import('#app/shell/header/ActivityButton.tsx')).ActivityButton)
const DeferredBanners = defer(async () => (await import('#app/shell/Banners.tsx')).Banners)
const DeferredDataLossBanner = defer(async () => (await import('#app/shell/DataLossBanner.tsx')).DataLossBanner)
const SpaceProbe = defer(async () => (await import('#app/connection/SpaceProbe.tsx')).SpaceProbe)
const TimeZoneNote = defer(async () => (await import('#app/shell/TimeZoneNote.tsx')).TimeZoneNote)
const SendReport = lazy(async () => {
  const load = () => import(/* chunk: pages */ '#features/outbox/SendReport.tsx')
  return { default: (await loadWithMessages(load, 'outbox', 'people', 'users', 'problem')).SendReport }
})
const ActingBanner = lazy(async () => ({
  default: (await retryImport(() => import('#app/shell/ActingBanner.tsx'))).ActingBanner,
}))
const LazyMobileNavigation = lazy(async () => ({
  default: (await import('#app/shell/MobileNavigation.tsx')).MobileNavigation,
}))

export { prepareSignedInPage } from '#app/routes/app-routes.tsx'

export function AppLayout() {
  const { t } = useTranslation('shell')
  const { user, caller } = useSignedInSession()
  const [isMenuOpen, setIsMenuOpen] = useState(false)
  const isPhone = useMedia('(width < 30rem)')
  const isSmallPhone = useMedia('(width < 25rem)')
  // Loads the code of dialogs after the page, so that the first dialog opens without a delay.
  useEffect(() => {
    const timer = setTimeout(preloadDialog, 2000)
    return () => clearTimeout(timer)
  }, [])
  return (
    <TitleSuffix value={[user.company_name, t('product')]}>
      <SkipLink />
      <div className="shell">
        <header className="bar">
          <span className="bar-menu">
            <Button
              kind="plain"
              icon="menu"
              isIconOnly
              aria-haspopup="dialog"
              aria-expanded={isMenuOpen}
              onClick={() => setIsMenuOpen(true)}
            >
              {t('openMenu')}
            </Button>
          </span>
          <Link className="bar-product" to={routes.home.path} aria-label={t('toHome')}>
            <Logo />
          </Link>
          <span className="bar-company" title={user.company_name} lang={getNameLang(user.company_name)}>
            {user.company_name}
          </span>
          <span className="bar-space" />
          <SearchButton />
          <ConnectionAndOutbox />
          <Suspense fallback={<span className="bar-activity idle" />}>
            <ActivityButton />
          </Suspense>
          <HelpButton isInMenu={isSmallPhone} />
          {!isPhone && <LanguageButton />}
          <UserMenu hasLanguage={isPhone} hasHelp={isSmallPhone} />
        </header>
        <div className="rail">
          <Navigation caller={caller} />
        </div>
        <div className="body">
          {user.acting_until && (
            <Suspense fallback={<div className="acting" />}>
              <ActingBanner
                key={user.company_id}
                companyId={user.company_id}
                company={user.company_name}
                until={user.acting_until}
                allowsChanges={user.acting_changes === true}
              />
            </Suspense>
          )}
          <DatabaseBanner />
          <Suspense fallback={null}>
            <DeferredDataLossBanner />
            <DeferredBanners />
            <SpaceProbe />
          </Suspense>
          <ClientTypeSpace />
          <main id="main" tabIndex={-1}>
            <CurrentPage />
          </main>
          <Footer>
            <Suspense fallback={null}>
              <TimeZoneNote />
            </Suspense>
          </Footer>
        </div>
        <Suspense fallback={null}>
          {isMenuOpen && <LazyMobileNavigation caller={caller} onClose={() => setIsMenuOpen(false)} />}
        </Suspense>
        <Toasts />
      </div>
    </TitleSuffix>
  )
}

const signedInPages = <SignedInRoutes />

/** Keeps the space of the client type selection until its code is loaded, so that the page does not move down. */
function ClientTypeSpace() {
  const { caller } = useSignedInSession()
  const location = useLocation()
  return hasClientTypeSelect(caller, location) && <div className="client-type-space" />
}

/** A component of its own, so that a new address does not render the layout again. */
function CurrentPage() {
  const { pathname } = useLocation()
  return <ErrorBoundary resetKey={pathname}>{signedInPages}</ErrorBoundary>
}

/** A component of its own, so that a change of the outbox does not render the page again. */
function ConnectionAndOutbox() {
  const entries = useLiveQuery(() => readEntries(), [], noEntries) ?? noEntries
  const endedEntries = useEndedEntries(entries)
  const parkedCount = entries.filter(isParked).length
  const lockedCount = useLiveQuery(() => countLocked(), []) ?? 0
  return (
    <>
      <ConnectionStatus sendingCount={entries.filter(({ state }) => state === 'sending').length} />
      <WaitingCount count={entries.length - parkedCount + lockedCount} />
      <WaitingCount count={parkedCount} needsAttention />
      <Suspense fallback={null}>{endedEntries && <SendReport sendResult={endedEntries} />}</Suspense>
    </>
  )
}
const noEntries: EntryView[] = []

/** Number of entries that the server has not accepted yet. It is amber; with `needsAttention` (refused entries) it is red. */
function WaitingCount({ count, needsAttention = false }: { count: number; needsAttention?: boolean }) {
  const { t } = useTranslation('shell')
  if (count === 0) return null
  return (
    <Link
      className={`pending-mark bar-waiting${needsAttention ? ' troubled' : ''}`}
      to={routes.outbox.path}
      aria-label={t(needsAttention ? 'needsYou' : 'waiting', { count })}
    >
      <Icon name={needsAttention ? 'alert' : 'waiting'} size={16} />
      {count}
    </Link>
  )
}
