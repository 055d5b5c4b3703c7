import { getSettings } from '#contract/accounts.ts'
import { sumDues } from '#domain/dues.ts'
import { readAgedResponse } from '#local/lists/responses.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { useCachedResponse } from '#state/use-cached-response.ts'
import { useList } from '#state/use-list.ts'
import { formatAmount } from '#ui/display/Amount.tsx'
import { useToday } from '#ui/page/use-today.ts'
import { type HomeDuty, getKnownState, combineStates, type OnReport, useReport } from '#ui/page/home-report.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import '#features/orders/words.ts'
import { buildOrderDuties, type OrderDuty } from '#features/orders/home/order-duties.ts'
import { useDueFormatter } from '#features/orders/useDueFormatter.ts'
import { effectiveOrdersSlice, expiringView, payableView, payableOrdersSlice } from '#features/orders/home/slice.ts'

/** What of the contracts needs somebody who orders, and how many there are: from the device, so that it stands without a line. */
export function OrderReport({ onReport }: { onReport: OnReport }) {
  const { t } = useTranslation('orders')
  const formatDue = useDueFormatter()
  const { companyId } = useSignedInSession().caller
  const { response: settings, problem, refetch: refetchSettings } = useCachedResponse(readAgedResponse, getSettings, {})
  const effectiveList = useList(effectiveOrdersSlice, { scope: companyId, view: expiringView })
  const unpaidList = useList(payableOrdersSlice, { scope: companyId, view: payableView })
  const today = useToday(settings?.output.time_zone)
  // One that is in effect and has a change to be paid is in both.
  const rows = [...(unpaidList.rows ?? []), ...(effectiveList.rows ?? [])].map(({ row }) => [row.id, row] as const)
  const duties = buildOrderDuties([...new Map(rows).values()], today)
  // The business day begins for all at once (D31): without its zone nothing is said of days.
  const zoneState = settings ? 'known' : problem ? 'unknown' : 'loading'
  const dues = duties.flatMap((duty) => (duty.kind === 'pay' ? [duty.due] : []))
  const [firstSum, ...otherSums] = sumDues(dues).map(({ currency, amount }) => formatAmount(currency, amount))
  const endingCount = duties.filter(({ kind }) => kind === 'end').length
  const contractsState = getKnownState(effectiveList.freshness)
  // A sum of the first rows alone would be wrong.
  const isComplete = unpaidList.count <= (unpaidList.rows?.length ?? 0)
  const hasPayableSum = zoneState === 'known' && getKnownState(unpaidList.freshness) === 'known' && isComplete
  const refetch = () => {
    void refetchSettings()
    effectiveList.refetch()
    unpaidList.refetch()
  }
  useReport(
    {
      source: 'orders',
      state: combineStates([zoneState, contractsState, getKnownState(unpaidList.freshness)]),
      duties: settings ? duties.map((duty) => toDuty(t, formatDue, duty)) : [],
      figures: {
        ...(contractsState === 'known' && {
          contracts: {
            value: formatNumber(effectiveList.count),
            note: endingCount === 0 ? '' : t('home.ending', { count: endingCount }),
            freshness: effectiveList.freshness,
          },
        }),
        ...(hasPayableSum && {
          toPay: { value: firstSum ?? t('home.nothing'), note: otherSums.join(' · '), freshness: unpaidList.freshness },
        }),
      },
    },
    onReport,
  )
  return <LoadProblem problem={problem ?? effectiveList.problem ?? unpaidList.problem} onRetry={refetch} />
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
