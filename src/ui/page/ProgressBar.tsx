import '#ui/page/progress.css'
import { lazy, Suspense } from 'react'
import type { ProgressBarProps } from '#ui/prime/ProgressBar.tsx'

const LazyProgressBar = lazy(() => import(/* chunk: prime */ '#ui/prime/ProgressBar.tsx'))

/** How far something is, in hundredths. Always named; the figure beside it is the caller's. */
export const ProgressBar = (props: ProgressBarProps) => (
  <Suspense fallback={<div className="progress" />}>
    <LazyProgressBar {...props} />
  </Suspense>
)
