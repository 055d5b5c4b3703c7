import { useTranslation } from 'react-i18next'
import { TabLinks } from '#ui/links/TabLinks.tsx'
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
    <TabLinks
      className="price-tabs"
      label={t('tab.label')}
      tabs={listTabs.map((name) => ({
        name,
        label:
          name === 'withdrawn' && withdrawnCount !== null
            ? t('tab.withdrawnCount', { number: formatNumber(withdrawnCount) })
            : t(`tab.${name}`),
        search: priceListsView.write(priceListsView.change(view, { tab: name })).toString(),
      }))}
      currentName={view.tab}
    />
  )
}
