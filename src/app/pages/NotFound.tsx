import { Navigate, useLocation } from 'react-router-dom'
import { isSignedInPath, routes } from '#app/routes/paths.ts'
import { useSession } from '#state/use-store.ts'
import { ButtonLink } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { Page } from '#ui/page/Page.tsx'
import { useTranslation } from 'react-i18next'

/** Shown for unknown addresses. Signed-in users see it inside the layout. */
export function NotFound() {
  const { t } = useTranslation('shell')
  const { pathname } = useLocation()
  const session = useSession()
  if (session.kind === 'signed in' && !isSignedInPath(pathname)) return <Navigate to={`/app${pathname}`} replace />
  return (
    <Page title={t('fallback.title')} width="narrow">
      <section className="card">
        <EmptyState
          icon="search"
          title={t('fallback.nothing')}
          action={
            <ButtonLink kind="primary" icon="home" to={routes.home.path}>
              {t('fallback.home')}
            </ButtonLink>
          }
        >
          <p>
            {t('fallback.text')} <code>{pathname}</code>
          </p>
        </EmptyState>
      </section>
    </Page>
  )
}
