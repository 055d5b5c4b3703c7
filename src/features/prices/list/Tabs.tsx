import { useTranslation } from 'react-i18next'
import { TabLinks } from '#ui/links/TabLinks.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { listTabs, priceListsView, type PriceListsView } from '#features/prices/price-lists-view.ts'

interface Props {
  view: PriceListsView
  withdrawnCount: number | null
}

/** Tabs for current and withdrawn lists. Each tab has its own address. */
export function Tabs({ view, withdrawnCount }: Props) {
  const { t } = useTranslation('prices')
  return (
    <TabLinks
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
