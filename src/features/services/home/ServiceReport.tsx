import { useBusinessToday } from '#patterns/useSettings.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { getKnownState, type HomeReport, type OnReport, useReport } from '#ui/page/home-report.ts'
import { useList } from '#state/use-list.ts'
import { useTranslation } from 'react-i18next'
import '#features/services/translations.ts'
import { homeServices, allServicesView } from '#features/services/home/home-services.ts'
import { isDown, isEnding } from '#features/services/home/service-figures.ts'

/** Reports to the provider's staff how many services are down, and how many contracts end soon. */
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
  // Counts of only some of the services would be wrong.
  const isComplete = state === 'known' && freshness.complete
  useReport({ source: 'services', state, duties: [], figures: isComplete ? figures : {} }, onReport)
  return <LoadProblem problem={problem} onRetry={refetch} />
}
