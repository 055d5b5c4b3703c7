import { formatNumber } from '#ui/list/Freshness.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { getKnownState, type OnReport, useReport } from '#ui/page/home-report.ts'
import { useList } from '#state/use-list.ts'
import { homeServices, allServicesView } from '#features/services/home/home-services.ts'

export function ServiceReport({ onReport }: { onReport: OnReport }) {
  const { count, freshness, problem, refetch } = useList(homeServices, { scope: null, view: allServicesView })
  const state = getKnownState(freshness)
  const figures = state === 'known' ? { services: { value: formatNumber(count), note: '', freshness } } : {}
  useReport({ source: 'services', state, duties: [], figures }, onReport)
  return <LoadProblem problem={problem} onRetry={refetch} />
}
