import { number } from '#ui/list/Freshness.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { knownOf, type OnReport, useReport } from '#ui/page/home-report.ts'
import { useList } from '#state/use-list.ts'
import { homeServices, everybodys } from '#features/services/home/slice.ts'

/** How many services the provider hosts. */
export function ServiceReport({ onReport }: { onReport: OnReport }) {
  const { count, freshness, problem, refetch } = useList(homeServices, { scope: null, view: everybodys })
  const state = knownOf(freshness)
  const figures = state === 'known' ? { services: { value: number(count), note: '', fresh: freshness } } : {}
  useReport({ from: 'services', state, duties: [], figures }, onReport)
  return <LoadProblem problem={problem} onRetry={refetch} />
}
