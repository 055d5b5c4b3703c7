import { TabLinks } from '#ui/links/TabLinks.tsx'
import type { OrderRow } from '#contract/orders.ts'
import { useTranslation } from 'react-i18next'
import { isCurrentContract } from '#features/orders/detail/current-contract.ts'
import { EmptyCard } from '#ui/list/EmptyCard.tsx'

const tabs = ['contract', 'subscribe'] as const
export type ContractTab = (typeof tabs)[number]

/**
 * Returns the selected tab. Only the current contract has a backups tab (M123), and only if the price list has backups. Null if the price
 * list is not known yet.
 */
export function getTab(query: URLSearchParams, row: OrderRow, hasBackups: boolean | null): ContractTab | null {
  if (query.get('tab') !== 'subscribe' || !isCurrentContract(row)) return 'contract'
  return hasBackups === null ? null : hasBackups ? 'subscribe' : 'contract'
}

/** Tabs for the contract and for the backups of its system. Each tab has its own address. */
export function ContractTabs({ tab }: { tab: ContractTab | null }) {
  const { t } = useTranslation('contract')
  return (
    <TabLinks
      label={t('tab.label')}
      tabs={tabs.map((name) => ({ name, label: t(`tab.${name}`), search: name === 'contract' ? '' : `?tab=${name}` }))}
      currentName={tab}
    />
  )
}

/** Shown if the code of the backups tab is not stored on this device. */
export function BackupsUnavailable() {
  const { t } = useTranslation('contract')
  return (
    <EmptyCard icon="offline" title={t('tab.notHere')}>
      <p>{t('missingOffline')}</p>
    </EmptyCard>
  )
}
