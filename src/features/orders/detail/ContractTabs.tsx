import { Link } from 'react-router-dom'
import type { OrderRow } from '#contract/orders.ts'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { useTranslation } from 'react-i18next'

/** As the address says them (`?tab=subscribe`). */
const tabs = ['contract', 'subscribe'] as const
export type Tab = (typeof tabs)[number]

/** Backups are of a contract (M123), and of the one that holds its service now. */
export const isTabbed = (row: OrderRow): boolean => row.contract_id > 0 && row.state !== 'overwritten'

/** `hasBackups`: whether the price list sells any; null: not known yet, and so is the tab that asks for them. */
export function tabOf(query: URLSearchParams, row: OrderRow, hasBackups: boolean | null): Tab | null {
  if (query.get('tab') !== 'subscribe' || !isTabbed(row)) return 'contract'
  return hasBackups === null ? null : hasBackups ? 'subscribe' : 'contract'
}

/** The contract itself, and the backups of its system: each an address of its own. */
export function Tabs({ tab }: { tab: Tab | null }) {
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
export function BackupsNotHere() {
  const { t } = useTranslation('contract')
  return (
    <section className="card">
      <EmptyState icon="offline" title={t('tab.notHere')}>
        <p>{t('missingOffline')}</p>
      </EmptyState>
    </section>
  )
}
