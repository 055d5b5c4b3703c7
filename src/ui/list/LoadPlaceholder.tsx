import { isOffline, type Problem } from '#contract/problem.ts'
import { EmptyCard } from '#ui/list/EmptyCard.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'

interface LoadPlaceholderProps {
  problem: Problem | null
  title?: string
  offlineTitle: string
  offlineText?: string
  lines?: number
  onRetry: () => void
}

/** Displayed in place of data that is not on the device. Offline it has no button, because the data is loaded on reconnect. */
export function LoadPlaceholder({ problem, lines = 6, onRetry, ...texts }: LoadPlaceholderProps) {
  if (!problem) return <Skeleton lines={lines} />
  if (!isOffline(problem)) return <ProblemNote problem={problem} title={texts.title} onRetry={onRetry} />
  return (
    <EmptyCard icon="offline" title={texts.offlineTitle}>
      {texts.offlineText && <p>{texts.offlineText}</p>}
    </EmptyCard>
  )
}
