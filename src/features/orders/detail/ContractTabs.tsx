import { TabLinks } from '#ui/links/TabLinks.tsx'
import type { OrderRow } from '#contract/orders.ts'
import { useTranslation } from 'react-i18next'
import { isCurrentContract } from '#features/orders/detail/current-contract.ts'
import { EmptyCard } from '#ui/list/EmptyCard.tsx'

/** As in the address (`?tab=subscribe`). */
const tabs = ['contract', 'subscribe'] as const
export type ContractTab = (typeof tabs)[number]

/** Backups belong to the current contract (M123). `hasBackups`: whether the price list sells any; null: not known yet. */
export function getTab(query: URLSearchParams, row: OrderRow, hasBackups: boolean | null): ContractTab | null {
  if (query.get('tab') !== 'subscribe' || !isCurrentContract(row)) return 'contract'
  return hasBackups === null ? null : hasBackups ? 'subscribe' : 'contract'
}

/** The contract itself, and the backups of its system: each an address of its own. */
export function ContractTabs({ tab }: { tab: ContractTab | null }) {
  const { t } = useTranslation('contract')
  return (
    <TabLinks
      className="order-tabs"
      label={t('tab.label')}
      tabs={tabs.map((name) => ({ name, label: t(`tab.${name}`), search: name === 'contract' ? '' : `?tab=${name}` }))}
      currentName={tab}
    />
  )
}

/** The code of the backups tab is not on this device. */
export function BackupsUnavailable() {
  const { t } = useTranslation('contract')
  return (
    <EmptyCard icon="offline" title={t('tab.notHere')}>
      <p>{t('missingOffline')}</p>
    </EmptyCard>
  )
}
