import { getSettings } from '#contract/accounts.ts'
import { sumDues } from '#domain/dues.ts'
import { readAged } from '#local/lists/responses.ts'
import { useSignedIn } from '#state/hooks.ts'
import { useCachedResponse } from '#state/use-cached-response.ts'
import { useList } from '#state/use-list.ts'
import { amountText } from '#ui/display/Amount.tsx'
import { useToday } from '#ui/page/business-day.ts'
import { type Duty, knownOf, knownTogether, type OnReport, useReport } from '#ui/page/home-report.ts'
import { number } from '#ui/list/Freshness.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import '#features/orders/words.ts'
import { dutiesOf, type OrderDuty } from '#features/orders/home/order-duties.ts'
import { useDueText } from '#features/orders/useDueText.ts'
import { effectiveOrders, ends, payable, payableOrders } from '#features/orders/home/slice.ts'

/** What of the contracts needs somebody who orders, and how many there are: from the device, so that it stands without a line. */
export function OrderReport({ onReport }: { onReport: OnReport }) {
  const { t } = useTranslation('orders')
  const dueText = useDueText()
  const { companyId } = useSignedIn().caller
  const { response: settings, problem, refetch: askSettings } = useCachedResponse(readAged, getSettings, {})
  const effective = useList(effectiveOrders, { scope: companyId, view: ends })
  const unpaid = useList(payableOrders, { scope: companyId, view: payable })
  const today = useToday(settings?.output.time_zone)
  // One that is in effect and has a change to be paid is in both.
  const rows = [...(unpaid.rows ?? []), ...(effective.rows ?? [])].map(({ row }) => [row.id, row] as const)
  const duties = dutiesOf([...new Map(rows).values()], today)
  // The business day begins for all at once (D31): without its zone nothing is said of days.
  const zone = settings ? 'known' : problem ? 'unknown' : 'asking'
  const dues = duties.flatMap((duty) => (duty.kind === 'pay' ? [duty.due] : []))
  const [first, ...others] = sumDues(dues).map(({ currency, amount }) => amountText(currency, amount))
  const ending = duties.filter(({ kind }) => kind === 'end').length
  const asked = knownOf(effective.freshness)
  // A sum of the first rows alone would be wrong.
  const isWhole = unpaid.count <= (unpaid.rows?.length ?? 0)
  const isPayable = zone === 'known' && knownOf(unpaid.freshness) === 'known' && isWhole
  const refetch = () => {
    void askSettings()
    effective.refetch()
    unpaid.refetch()
  }
  useReport(
    {
      from: 'orders',
      state: knownTogether([zone, asked, knownOf(unpaid.freshness)]),
      duties: settings ? duties.map((duty) => toDuty(t, dueText, duty)) : [],
      figures: {
        ...(asked === 'known' && {
          contracts: {
            value: number(effective.count),
            note: ending === 0 ? '' : t('home.ending', { count: ending }),
            fresh: effective.freshness,
          },
        }),
        ...(isPayable && {
          toPay: { value: first ?? t('home.nothing'), note: others.join(' · '), fresh: unpaid.freshness },
        }),
      },
    },
    onReport,
  )
  return <LoadProblem problem={problem ?? effective.problem ?? unpaid.problem} onRetry={refetch} />
}

function toDuty(t: TFunction<'orders'>, dueText: ReturnType<typeof useDueText>, duty: OrderDuty): Duty {
  const { id, name, date, days } = duty
  const path = `/app/contract/${id}`
  const when = days === 0 ? t('home.today') : t('home.days', { count: days })
  if (duty.kind === 'end')
    return {
      key: `end ${id}`,
      at: date,
      icon: 'waiting',
      isUrgent: days <= 3,
      title: t('home.expiring', { name, date }),
      text: when,
      action: { label: t('home.extend'), path },
    }
  const { due } = duty
  const amount = amountText(due.currency, due.amount)
  const matter = dueText(due)
  const isOverdue = days < 0
  return {
    key: `pay ${due.contractType} ${due.id}`,
    at: isOverdue ? '' : date,
    icon: isOverdue ? 'alert' : 'price',
    isUrgent: days <= 3,
    title: t(isOverdue ? 'home.overdue' : 'home.unpaid', { name, matter, due: date }),
    text: isOverdue ? t('home.overdueText', { amount }) : `${amount} · ${when}`,
    action: { label: t('home.pay'), path: due.contractType === 'CONTRACT' ? path : `${path}?tab=subscribe` },
  }
}
