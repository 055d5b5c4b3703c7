import { lazy, Suspense, useState } from 'react'
import type { Problem } from '#contract/problem.ts'
import { getSettings } from '#contract/accounts.ts'
import type { OrderRow } from '#contract/orders.ts'
import { sumDues } from '#domain/dues.ts'
import { maxPaidItems } from '#domain/payments.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useReadOnlyReason, useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { useRecord } from '#state/use-record.ts'
import { useConnection, useSignedInSession } from '#state/use-store.ts'
import { useList } from '#state/use-list.ts'
import { formatAmount } from '#ui/display/Amount.tsx'
import { useToday } from '#ui/page/use-today.ts'
import {
  combineStates,
  getKnownState,
  type HomeDuty,
  type HomeFigure,
  type HomeReport,
  type OnReport,
  useReport,
} from '#ui/page/home-report.ts'
import { formatNumber, type ListFreshness } from '#ui/list/Freshness.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import '#features/orders/words.ts'
import { buildOrderDuties, type OrderDuty } from '#features/orders/home/order-duties.ts'
import { buildGroupButton, type DueGroup, listPayableGroups } from '#features/orders/dues/due-groups.ts'
import { type DueItem, formatDueName } from '#features/orders/dues/due-items.ts'
import { usePriceInForce } from '#features/orders/read-orders.ts'
import { useDueItems } from '#features/orders/dues/useDueItems.ts'
import { useDueFormatter } from '#features/orders/useDueFormatter.ts'
import { usePayOfflineText } from '#features/orders/usePayOfflineText.ts'
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
  const [openGroup, setOpenGroup] = useState<DueGroup | null>(null)
  const readOnlyReason = useReadOnlyReason()
  const payReason = useUnsendableReason(t('reason.offline'))
  const offlineText = usePayOfflineText(dueItems.length > 0)
  const blockedReason = useMissingPricesReason()
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
  const state = combineStates([zoneState, getKnownState(effectiveList.freshness), getKnownState(unpaidList.freshness)])
  useReport(
    {
      source: 'orders',
      state,
      duties: settings
        ? duties.map((duty) =>
            duty.kind === 'end'
              ? toEndDuty(t, duty, readOnlyReason)
              : toPayDuty(t, formatDue, duty, {
                  label: t('home.pay'),
                  run: () => setOpenGroup([duty]),
                  disabledReason: payReason,
                }),
          )
        : [],
      offlineText,
      commonActions: listGroupActions(t, dueItems, setOpenGroup, payReason),
      figures: { ...(contracts && { contracts }), ...(toPay && { toPay }) },
      blockedReasons: { newContract: blockedReason },
    },
    onReport,
  )
  return (
    <>
      <LoadProblem
        problem={findProblem(state, [problem, effectiveList.problem, unpaidList.problem])}
        onRetry={refetch}
      />
      <Suspense fallback={null}>
        {openGroup && (
          <HomePayDialog
            group={openGroup}
            onClose={() => setOpenGroup(null)}
            onPaid={() => {
              setOpenGroup(null)
              refetch()
            }}
          />
        )}
      </Suspense>
    </>
  )
}

/** One button for each currency with several items, so that they are paid together (decision 110). */
const listGroupActions = (
  t: TFunction<'orders'>,
  items: readonly DueItem[],
  onPay: (group: DueGroup) => void,
  payReason: string | null,
): NonNullable<HomeReport['commonActions']> =>
  listPayableGroups(items).flatMap((group) => {
    // More items than one payment takes are selected in the list "To pay".
    if (group.length < 2 || group.length > maxPaidItems) return []
    const { label, disabledReason } = buildGroupButton(t, group, payReason)
    // The key has the items, so that the report is another one if it has other items of the same sum.
    const key = group.map(({ due }) => formatDueName(due)).join()
    return { key, label, disabledReason, run: () => onPay(group) }
  })

/** Returns why nothing can be ordered, as the list of contracts says it: without a connection and without prices on this device. */
function useMissingPricesReason(): string | null {
  const { t } = useTranslation('orders')
  const isOnline = useConnection().networkState === 'online'
  const price = usePriceInForce('saas')
  return !isOnline && price === null ? t('price.offline') : null
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

/** Returns null while everything is known: stored rows are shown without a message. */
const findProblem = (state: HomeReport['state'], problems: readonly (Problem | null)[]): Problem | null =>
  state === 'known' ? null : (problems.find((problem) => problem !== null) ?? null)

/** Returns null if not all of the list is on this device: a sum of only its first rows would be wrong. */
function buildPayableFigure(
  t: TFunction<'orders'>,
  { rows = [], count, freshness }: OrderList,
  duties: readonly OrderDuty[],
): HomeFigure | null {
  if (getKnownState(freshness) !== 'known' || count > rows.length) return null
  const payDuties = duties.flatMap((duty) => (duty.kind === 'pay' ? [duty] : []))
  const sums = sumDues(payDuties.map(({ due }) => due)).map(({ currency, amount }) => formatAmount(currency, amount))
  const [firstSum = t('home.nothing'), ...otherValues] = sums
  // Duties are sorted by date.
  const [firstDuty] = payDuties
  const note = firstDuty ? t('home.items', { count: payDuties.length, due: firstDuty.date }) : ''
  return { value: firstSum, otherValues, note, freshness }
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
    isMain: true,
    title: formatDue(due, name),
    text: [formatAmount(due.currency, due.amount), ...details].join(' · '),
    action,
  }
}
