import { useLiveQuery } from '#state/live-query.ts'
import { TabLinks } from '#ui/links/TabLinks.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import type { ClientType } from '#domain/access.ts'
import type { PlainDate } from '#domain/time.ts'
import { useTranslation } from 'react-i18next'
import { listDueItems } from '#features/orders/dues/due-items.ts'
import { readOrders } from '#features/orders/read-orders.ts'
import { allOrdersListSlice } from '#features/orders/slice.ts'
import { getOrderTab, type OrderTab, orderTabs, ordersView, type OrdersView, toTabView } from '#features/orders/view.ts'

interface Props {
  /** Null for all companies. */
  companyId: number | null
  type: ClientType
  view: OrdersView
  /** Null if the business time zone is not known yet. */
  today: PlainDate | null
}

/** Tabs of the contract list, each with its address: all contracts, everything to pay, contracts that end soon, expired ones. */
export function OrderTabs({ companyId, type, view, today }: Props) {
  const { t } = useTranslation('orders')
  const counts = useTabCounts({ companyId, type, today })
  const getLabel = (tab: OrderTab) => {
    const count = counts[tab] ?? 0
    return count === 0 ? t(`tab.${tab}`) : t('tab.counted', { tab: t(`tab.${tab}`), number: formatNumber(count) })
  }
  return (
    <TabLinks
      label={t('tab.label')}
      tabs={orderTabs.map((name) => ({
        name,
        label: getLabel(name),
        search: `?${ordersView.write(toTabView(view, name))}`,
      }))}
      currentName={getOrderTab(view)}
    />
  )
}

type TabCounts = Partial<Record<OrderTab, number>>

/** More rows than a company has. The device is read, not the server. */
const maxRows = 1000

/** Counts what two tabs list, on this device. A tab has no number while the device does not have all of its rows. */
function useTabCounts({ companyId, type, today }: Omit<Props, 'view'>): TabCounts {
  const key = `${companyId} ${type} ${today}`
  const result = useLiveQuery(async () => {
    if (today === null) return { key, counts: {} }
    return { key, counts: await (companyId === null ? countAll(type, today) : countOfCompany(companyId, type, today)) }
  }, [companyId, type, today])
  // The live query still has the previous company's result until it has read the next.
  return result?.key === key ? result.counts : {}
}

async function countOfCompany(companyId: number, type: ClientType, today: PlainDate): Promise<TabCounts> {
  const readTab = async (tab: OrderTab) =>
    await readOrders(companyId, type, { ...toTabView(ordersView.defaultView, tab), results: maxRows }, today)
  const [payable, ending] = await Promise.all([readTab('pay'), readTab('ending')])
  return {
    ...(payable.complete && {
      pay: listDueItems(
        payable.rows.map(({ row }) => row),
        today,
      ).length,
    }),
    ...(ending.complete && { ending: ending.count }),
  }
}

/** The tabs of all companies list contracts, so their rows are counted. */
async function countAll(type: ClientType, today: PlainDate): Promise<TabCounts> {
  const readTab = async (tab: OrderTab) => {
    const view = { ...toTabView(ordersView.defaultView, tab), results: 1 }
    return await allOrdersListSlice.readPage(null, allOrdersListSlice.toQuery({ ...view, type, today }))
  }
  const [payable, ending] = await Promise.all([readTab('pay'), readTab('ending')])
  return {
    ...(payable.complete && { pay: payable.count }),
    ...(ending.complete && { ending: ending.count }),
  }
}
