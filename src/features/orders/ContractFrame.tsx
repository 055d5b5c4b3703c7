import type { ReactNode } from 'react'
import { Page } from '#ui/page/Page.tsx'
import { useTranslation } from 'react-i18next'
import { OrderStyles } from '#features/orders/OrderStyles.tsx'

/** The page of a contract that is not loaded, or has no page. */
export function ContractFrame({ children }: { children: ReactNode }) {
  const { t } = useTranslation('contract')
  return (
    <Page title={t('title')} crumbs={[{ label: t('list'), to: '/app/contract' }]}>
      <OrderStyles />
      {children}
    </Page>
  )
}
