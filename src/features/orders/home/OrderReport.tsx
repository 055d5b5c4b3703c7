import { getSettings } from '#contract/accounts.ts'
import type { OrderRow } from '#contract/orders.ts'
import { sumDues } from '#domain/dues.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useRecord } from '#state/use-record.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { useList } from '#state/use-list.ts'
import { formatAmount } from '#ui/display/Amount.tsx'
import { useToday } from '#ui/page/use-today.ts'
import {
  combineStates,
  getKnownState,
  type HomeDuty,
  type HomeFigure,
  type OnReport,
  useReport,
} from '#ui/page/home-report.ts'
import { formatNumber, type ListFreshness } from '#ui/list/Freshness.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import '#features/orders/words.ts'
import { buildOrderDuties, type OrderDuty } from '#features/orders/home/order-duties.ts'
import { useDueFormatter } from '#features/orders/useDueFormatter.ts'
import { effectiveOrdersSlice, expiringView, payableView, payableOrdersSlice } from '#features/orders/home/slice.ts'

/** Reports contracts that need an action, and the number of contracts. Works offline with rows of the device. */
export function OrderReport({ onReport }: { onReport: OnReport }) {
  const { t } = useTranslation('orders')
  const formatDue = useDueFormatter()
  const { companyId } = useSignedInSession().caller
  const { record: settings, problem, refetch: refetchSettings } = useRecord(getSettings, {})
  const effectiveList = useList(effectiveOrdersSlice, { scope: companyId, view: expiringView })
  const unpaidList = useList(payableOrdersSlice, { scope: companyId, view: payableView })
  const today = useToday(settings?.time_zone)
  const duties = buildOrderDuties(joinRows(unpaidList, effectiveList), today)
  // Days are computed in the business time zone (D31), so without it nothing is shown as due.
  const zoneState = settings ? 'known' : problem ? 'unknown' : 'loading'
  const contracts = buildContractsFigure(t, effectiveList, duties)
  const toPay = settings ? buildPayableFigure(t, unpaidList, duties) : null
  const refetch = () => {
    void refetchSettings()
    effectiveList.refetch()
    unpaidList.refetch()
  }
  useReport(
    {
      source: 'orders',
      state: combineStates([zoneState, getKnownState(effectiveList.freshness), getKnownState(unpaidList.freshness)]),
      duties: settings ? duties.map((duty) => toDuty(t, formatDue, duty)) : [],
      figures: { ...(contracts && { contracts }), ...(toPay && { toPay }) },
    },
    onReport,
  )
  return <LoadProblem problem={problem ?? effectiveList.problem ?? unpaidList.problem} onRetry={refetch} />
}

interface OrderList {
  rows: OverlaidRow<OrderRow>[] | undefined
  count: number
  freshness: ListFreshness
}

/** Removes duplicates: a contract in effect with an unpaid change is in both lists. */
const joinRows = (...lists: OrderList[]): OrderRow[] => {
  const rows = lists.flatMap((list) => list.rows ?? []).map(({ row }) => [row.id, row] as const)
  return [...new Map(rows).values()]
}

function buildContractsFigure(
  t: TFunction<'orders'>,
  { count, freshness }: OrderList,
  duties: readonly OrderDuty[],
): HomeFigure | null {
  if (getKnownState(freshness) !== 'known') return null
  const endingCount = duties.filter(({ kind }) => kind === 'end').length
  return {
    value: formatNumber(count),
    note: endingCount === 0 ? '' : t('home.ending', { count: endingCount }),
    freshness,
  }
}

/** Returns null if not all of the list is on this device: a sum of only its first rows would be wrong. */
function buildPayableFigure(
  t: TFunction<'orders'>,
  { rows = [], count, freshness }: OrderList,
  duties: readonly OrderDuty[],
): HomeFigure | null {
  if (getKnownState(freshness) !== 'known' || count > rows.length) return null
  const dues = duties.flatMap((duty) => (duty.kind === 'pay' ? [duty.due] : []))
  const [firstSum, ...otherSums] = sumDues(dues).map(({ currency, amount }) => formatAmount(currency, amount))
  return { value: firstSum ?? t('home.nothing'), note: otherSums.join(' · '), freshness }
}

function toDuty(t: TFunction<'orders'>, formatDue: ReturnType<typeof useDueFormatter>, duty: OrderDuty): HomeDuty {
  const { id, name, date, days } = duty
  const path = `/app/contract/${id}`
  const daysText = days === 0 ? t('home.today') : t('home.days', { count: days })
  if (duty.kind === 'end')
    return {
      key: `end ${id}`,
      at: date,
      icon: 'waiting',
      isUrgent: days <= 3,
      title: t('home.expiring', { name, date }),
      text: daysText,
      action: { label: t('home.extend'), path },
    }
  const { due } = duty
  const amount = formatAmount(due.currency, due.amount)
  const dueText = formatDue(due)
  const isOverdue = days < 0
  return {
    key: `pay ${due.contractType} ${due.id}`,
    at: isOverdue ? '' : date,
    icon: isOverdue ? 'alert' : 'price',
    isUrgent: days <= 3,
    title: t(isOverdue ? 'home.overdue' : 'home.unpaid', { name, matter: dueText, due: date }),
    text: isOverdue ? t('home.overdueText', { amount }) : `${amount} · ${daysText}`,
    action: { label: t('home.pay'), path: due.contractType === 'CONTRACT' ? path : `${path}?tab=subscribe` },
  }
}
