import { lazy, Suspense, useState } from 'react'
import { getSettings } from '#contract/accounts.ts'
import type { OrderRow } from '#contract/orders.ts'
import { sumDues } from '#domain/dues.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useReadOnlyReason, useUnsendableReason } from '#patterns/useOfflineReason.ts'
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
import { type DueItem, formatDueName } from '#features/orders/dues/due-items.ts'
import { useDueItems } from '#features/orders/dues/useDueItems.ts'
import { useDueFormatter } from '#features/orders/useDueFormatter.ts'
import { effectiveOrdersSlice, expiringView } from '#features/orders/home/slice.ts'

const HomePayDialog = lazy(async () => ({
  default: (await import('#features/orders/home/HomePayDialog.tsx')).HomePayDialog,
}))

/** Reports contracts that need an action, and the number of contracts. Opens the payment over the home page. Works offline with rows of the device. */
export function OrderReport({ onReport }: { onReport: OnReport }) {
  const { t } = useTranslation('orders')
  const formatDue = useDueFormatter()
  const { companyId } = useSignedInSession().caller
  const { record: settings, problem, refetch: refetchSettings } = useRecord(getSettings, {})
  const effectiveList = useList(effectiveOrdersSlice, { scope: companyId, view: expiringView })
  const today = useToday(settings?.time_zone)
  const { items: dueItems = [], list: unpaidList } = useDueItems({
    companyId,
    type: 'saas',
    today: settings ? today : null,
  })
  const [openItem, setOpenItem] = useState<DueItem | null>(null)
  const readOnlyReason = useReadOnlyReason()
  const payReason = useUnsendableReason(t('reason.offline'))
  const duties = buildOrderDuties(dueItems, effectiveList.rows?.map(({ row }) => row) ?? [], today)
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
      duties: settings
        ? duties.map((duty) =>
            duty.kind === 'end'
              ? toEndDuty(t, duty, readOnlyReason)
              : toPayDuty(t, formatDue, duty, {
                  label: t('home.pay'),
                  run: () => setOpenItem(duty),
                  disabledReason: payReason,
                }),
          )
        : [],
      figures: { ...(contracts && { contracts }), ...(toPay && { toPay }) },
    },
    onReport,
  )
  return (
    <>
      <LoadProblem problem={problem ?? effectiveList.problem ?? unpaidList.problem} onRetry={refetch} />
      <Suspense fallback={null}>
        {openItem && (
          <HomePayDialog
            item={openItem}
            onClose={() => setOpenItem(null)}
            onPaid={() => {
              setOpenItem(null)
              refetch()
            }}
          />
        )}
      </Suspense>
    </>
  )
}

interface OrderList {
  rows: OverlaidRow<OrderRow>[] | undefined
  count: number
  freshness: ListFreshness
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

type Duty<Kind> = Extract<OrderDuty, { kind: Kind }>

const formatDaysLeft = (t: TFunction<'orders'>, days: number) =>
  days === 0 ? t('home.today') : t('home.days', { count: days })

const toEndDuty = (
  t: TFunction<'orders'>,
  { row: { id }, name, date, days }: Duty<'end'>,
  disabledReason: string | null,
): HomeDuty => ({
  key: `end ${id}`,
  at: date,
  icon: 'waiting',
  isUrgent: days <= 3,
  title: t('home.expiring', { name, date }),
  text: formatDaysLeft(t, days),
  action: disabledReason
    ? { label: t('home.extend'), run: () => undefined, disabledReason }
    : { label: t('home.extend'), path: `/app/contract/${id}?extend=1` },
})

/** "RDS backup of 环球贸易 · RMB 13,500.00 · pay by 2026-12-05" */
export function toPayDuty(
  t: TFunction<'orders'>,
  formatDue: ReturnType<typeof useDueFormatter>,
  { name, due, date, days }: DueItem,
  action: HomeDuty['action'],
): HomeDuty {
  const isOverdue = days < 0
  const details = isOverdue
    ? [t('home.overdue', { due: date }), t('home.suspended')]
    : [t('home.payBy', { due: date }), formatDaysLeft(t, days)]
  return {
    key: `pay ${formatDueName(due)}`,
    at: isOverdue ? '' : date,
    icon: isOverdue ? 'alert' : 'price',
    isUrgent: days <= 3,
    title: formatDue(due, name),
    text: [formatAmount(due.currency, due.amount), ...details].join(' · '),
    action,
  }
}
