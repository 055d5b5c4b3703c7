import { Link } from 'react-router-dom'
import type { OrderRow } from '#contract/orders.ts'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { useTranslation } from 'react-i18next'

/** As the address says them (`?tab=subscribe`). */
const tabs = ['contract', 'subscribe'] as const
export type ContractTab = (typeof tabs)[number]

/** Backups are of a contract (M123), and of the one that holds its service now. */
export const hasTabs = (row: OrderRow): boolean => row.contract_id > 0 && row.state !== 'overwritten'

/** `hasBackups`: whether the price list sells any; null: not known yet, and so is the tab that asks for them. */
export function getTab(query: URLSearchParams, row: OrderRow, hasBackups: boolean | null): ContractTab | null {
  if (query.get('tab') !== 'subscribe' || !hasTabs(row)) return 'contract'
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

/** Where the code of that tab is not kept on this device. */
export function BackupsUnavailable() {
  const { t } = useTranslation('contract')
  return (
    <section className="card">
      <EmptyState icon="offline" title={t('tab.notHere')}>
        <p>{t('missingOffline')}</p>
      </EmptyState>
    </section>
  )
}
