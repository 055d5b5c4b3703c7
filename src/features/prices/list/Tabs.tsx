import { useTranslation } from 'react-i18next'
import { Link } from 'react-router-dom'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { listTabs, priceListsView, type PriceListsView } from '#features/prices/price-lists-view.ts'

interface Props {
  view: PriceListsView
  /** How many lists are withdrawn; null: not known yet. */
  withdrawnCount: number | null
}

/** Lists that count or will, and those that were withdrawn: each an address of its own. */
export function Tabs({ view, withdrawnCount }: Props) {
  const { t } = useTranslation('prices')
  return (
    <nav className="price-tabs" aria-label={t('tab.label')}>
      <ul>
        {listTabs.map((name) => (
          <li key={name}>
            <Link
              to={{ search: priceListsView.write(priceListsView.change(view, { tab: name })).toString() }}
              aria-current={name === view.tab ? 'page' : undefined}
            >
              {name === 'withdrawn' && withdrawnCount !== null
                ? t('tab.withdrawnCount', { number: formatNumber(withdrawnCount) })
                : t(`tab.${name}`)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
