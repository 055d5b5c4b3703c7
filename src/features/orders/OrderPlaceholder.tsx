import { isOffline, type Problem } from '#contract/problem.ts'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { OfflineCard } from '#features/orders/OfflineCard.tsx'

interface Props {
  problem: Problem | null
  /** What could not be loaded. */
  title?: string
  offlineTitle: string
  offlineText: string
  lines?: number
  onRetry: () => void
}

/** In place of what the device does not have yet. */
export function OrderPlaceholder({ problem, title, offlineTitle, offlineText, lines = 6, onRetry }: Props) {
  if (!problem) return <Skeleton lines={lines} />
  if (isOffline(problem)) return <OfflineCard title={offlineTitle} text={offlineText} />
  return <ProblemNote problem={problem} title={title} onRetry={onRetry} />
}
