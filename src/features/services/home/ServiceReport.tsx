import { useBusinessToday } from '#patterns/useSettings.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { getKnownState, type HomeDuty, type HomeReport, type OnReport, useReport } from '#ui/page/home-report.ts'
import { isAllowed } from '#domain/access.ts'
import { useSignedInSession } from '#state/use-store.ts'
import type { TFunction } from 'i18next'
import { listOrdersToWatch, type WatchedOrder } from '#features/services/home/orders-to-watch.ts'
import { useList } from '#state/use-list.ts'
import { useTranslation } from 'react-i18next'
import '#features/services/translations.ts'
import { homeServices, allServicesView } from '#features/services/home/home-services.ts'
import { isDown, isEnding } from '#features/services/home/service-figures.ts'

/** The figure links to the list of all services that end soon. */
const maxOrders = 8

/** Reports to the provider's staff which contracts end soon, how many services are down, and how many contracts end soon. */
export function ServiceReport({ onReport }: { onReport: OnReport }) {
  const { t } = useTranslation('services')
  const {
    rows = [],
    count,
    freshness,
    problem,
    refetch,
  } = useList(homeServices, {
    scope: null,
    view: allServicesView,
  })
  const today = useBusinessToday()
  const state = getKnownState(freshness)
  const services = rows.map(({ row }) => row)
  const figures: HomeReport['figures'] = {
    down: {
      value: formatNumber(services.filter(isDown).length),
      note: t('home.services', { count, number: formatNumber(count) }),
      freshness,
    },
    // Without the business time zone (D31) no day can be compared.
    ...(today !== null && {
      ending: { value: formatNumber(services.filter((row) => isEnding(row, today)).length), note: '', freshness },
    }),
  }
  const canListDues = isAllowed('staffOrder', useSignedInSession().caller)
  const duties =
    today === null
      ? []
      : listOrdersToWatch(services, today, { hasUnpaid: !canListDues })
          .slice(0, maxOrders)
          .map((order) => buildDuty(t, order))
  // Counts of only some of the services would be wrong.
  const isComplete = state === 'known' && freshness.complete
  useReport({ source: 'services', state, duties, figures: isComplete ? figures : {} }, onReport)
  return <LoadProblem problem={state === 'known' ? null : problem} onRetry={refetch} />
}

function buildDuty(t: TFunction<'services'>, { row, days, isUnpaid }: WatchedOrder): HomeDuty {
  const { id, code, company_name: company, expired_date: date } = row
  const endText = days === 0 ? t('watch.today') : t('watch.ends', { date, count: days ?? 0 })
  const reasons = [...(isUnpaid ? [t('watch.unpaid')] : []), ...(days === null ? [] : [endText])]
  return {
    key: String(id),
    at: days === null ? null : date,
    icon: 'waiting',
    isUrgent: days !== null && days <= 3,
    title: `${company} · ${code}`,
    text: reasons.join(' · '),
    action: { label: t('watch.open'), path: `/app/service/${id}` },
  }
}
