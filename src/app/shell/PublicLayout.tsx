import type { ReactNode } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { places } from '#app/routes/paths.ts'
import { ConnectionState } from '#app/shell/header/ConnectionStatus.tsx'
import { Footer } from '#app/shell/Footer.tsx'
import { HelpButton } from '#app/shell/help/HelpButton.tsx'
import { Language } from '#app/shell/header/LanguageButton.tsx'
import { SkipLink } from '#app/shell/SkipLink.tsx'
import { ThemeSwitch } from '#app/shell/header/ThemeSwitch.tsx'
import { useSession } from '#state/hooks.ts'
import { Mark } from '#ui/display/Logo.tsx'
import { TitleTail } from '#ui/page/Page.tsx'
import { useTranslation } from 'react-i18next'

/** The frame for visitors: no navigation, a way to the login (M13). */
export function Entry({ children }: { children: ReactNode }) {
  const { t } = useTranslation('shell')
  const session = useSession()
  const { pathname } = useLocation()
  const inside = session.kind === 'signed in'
  const way = inside ? places.home : places.login
  return (
    <TitleTail value={[t('product')]}>
      <SkipLink />
      <div className="entry">
        <header className="bar">
          <a className="bar-product" href="/index.html">
            <Mark />
            <span>{t('product')}</span>
          </a>
          <span className="bar-space" />
          <ConnectionState sending={0} />
          <HelpButton />
          <Language />
          <ThemeSwitch />
          {pathname !== way.path && (
            <Link className="button quiet" to={way.path}>
              {inside ? t('menu.home') : t('login')}
            </Link>
          )}
        </header>
        <main id="main" tabIndex={-1}>
          {children}
        </main>
        <Footer />
      </div>
    </TitleTail>
  )
}
