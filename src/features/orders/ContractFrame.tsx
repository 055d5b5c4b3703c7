import type { ReactNode } from 'react'
import { Page } from '#ui/page/Page.tsx'
import { useTranslation } from 'react-i18next'
import { OrderStyles } from '#features/orders/OrderStyles.tsx'

/** Page frame for a contract that is not loaded, or that has no page of its own. */
export function ContractFrame({ children }: { children: ReactNode }) {
  const { t } = useTranslation('contract')
  return (
    <Page title={t('title')} crumbs={[{ label: t('list'), to: '/app/contract' }]}>
      <OrderStyles />
      {children}
    </Page>
  )
}
