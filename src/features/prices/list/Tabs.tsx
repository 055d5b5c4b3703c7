import { useTranslation } from 'react-i18next'
import { Link } from 'react-router-dom'
import { number } from '#ui/list/Freshness.tsx'
import { tabs, type View, ways } from '#features/prices/list-url.ts'

interface Props {
  view: View
  /** How many lists are withdrawn; null: not known yet. */
  withdrawn: number | null
}

/** Lists that count or will, and those that were withdrawn: each an address of its own. */
export function Tabs({ view, withdrawn }: Props) {
  const { t } = useTranslation('prices')
  return (
    <nav className="price-tabs" aria-label={t('tab.label')}>
      <ul>
        {tabs.map((name) => (
          <li key={name}>
            <Link
              to={{ search: ways.write(ways.change(view, { tab: name })).toString() }}
              aria-current={name === view.tab ? 'page' : undefined}
            >
              {name === 'withdrawn' && withdrawn !== null
                ? t('tab.withdrawnCount', { number: number(withdrawn) })
                : t(`tab.${name}`)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
