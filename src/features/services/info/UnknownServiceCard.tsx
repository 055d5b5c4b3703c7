import type { ReactNode } from 'react'
import { EmptyCard } from '#ui/list/EmptyCard.tsx'
import { useTranslation } from 'react-i18next'

export function UnknownServiceCard({ action }: { action: ReactNode }) {
  const { t } = useTranslation('services')
  return (
    <EmptyCard icon="search" title={t('page.unknown')} action={action}>
      <p>{t('page.unknownText')}</p>
    </EmptyCard>
  )
}
