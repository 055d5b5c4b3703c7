import type { ReactNode } from 'react'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { useTranslation } from 'react-i18next'

/** `action`: leads to a page that exists. */
export function UnknownServiceCard({ action }: { action: ReactNode }) {
  const { t } = useTranslation('services')
  return (
    <section className="card">
      <EmptyState icon="search" title={t('page.unknown')} action={action}>
        <p>{t('page.unknownText')}</p>
      </EmptyState>
    </section>
  )
}
