import type { ReactNode } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { routes } from '#app/routes/paths.ts'
import { ConnectionStatus } from '#app/shell/header/ConnectionStatus.tsx'
import { Footer } from '#app/shell/Footer.tsx'
import { HelpButton } from '#app/shell/help/HelpButton.tsx'
import { LanguageButton } from '#app/shell/header/LanguageButton.tsx'
import { SkipLink } from '#app/shell/SkipLink.tsx'
import { ThemeSwitch } from '#app/shell/header/ThemeSwitch.tsx'
import { useSession } from '#state/use-store.ts'
import { Logo } from '#ui/display/Logo.tsx'
import { TitleSuffix } from '#ui/page/Page.tsx'
import { useTranslation } from 'react-i18next'

/** The layout for visitors: no navigation, but a link to the login (M13). */
export function PublicLayout({ children }: { children: ReactNode }) {
  const { t } = useTranslation('shell')
  const session = useSession()
  const { pathname } = useLocation()
  const isSignedIn = session.kind === 'signed in'
  const target = isSignedIn ? routes.home : routes.login
  return (
    <TitleSuffix value={[t('product')]}>
      <SkipLink />
      <div className="entry">
        <header className="bar">
          <a className="bar-product" href="/index.html">
            <Logo />
            <span>{t('product')}</span>
          </a>
          <span className="bar-space" />
          <ConnectionStatus sendingCount={0} />
          <HelpButton />
          <LanguageButton />
          <ThemeSwitch />
          {pathname !== target.path && (
            <Link className="button quiet" to={target.path}>
              {isSignedIn ? t('menu.home') : t('login')}
            </Link>
          )}
        </header>
        <main id="main" tabIndex={-1}>
          {children}
        </main>
        <Footer />
      </div>
    </TitleSuffix>
  )
}
