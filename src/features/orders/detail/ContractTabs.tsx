import { Link } from 'react-router-dom'
import type { OrderRow } from '#contract/orders.ts'
import { useTranslation } from 'react-i18next'
import { isCurrentContract } from '#features/orders/detail/current-contract.ts'
import { OfflineCard } from '#features/orders/OfflineCard.tsx'

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
    <nav className="order-tabs" aria-label={t('tab.label')}>
      <ul>
        {tabs.map((name) => (
          <li key={name}>
            <Link
              to={{ search: name === 'contract' ? '' : `?tab=${name}` }}
              aria-current={name === tab ? 'page' : undefined}
            >
              {t(`tab.${name}`)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** The code of the backups tab is not on this device. */
export function BackupsUnavailable() {
  const { t } = useTranslation('contract')
  return <OfflineCard title={t('tab.notHere')} text={t('missingOffline')} />
}
