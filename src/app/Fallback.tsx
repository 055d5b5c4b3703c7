import { useLocation } from 'react-router-dom'
import { places } from '#app/paths.ts'
import { ButtonLink } from '#ui/Button.tsx'
import { EmptyState } from '#ui/EmptyState.tsx'
import '#ui/icons.ts'
import { Page } from '#ui/Page.tsx'
import { useWords } from '#ui/words.ts'

/** For addresses that are no place of the portal. */
export function Fallback() {
  const t = useWords('shell')
  const { pathname } = useLocation()
  return (
    <Page title={t('fallback.title')} width="narrow">
      <section className="card">
        <EmptyState
          icon="search"
          title={t('fallback.nothing')}
          action={
            <ButtonLink kind="primary" icon="home" to={places.home.path}>
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
