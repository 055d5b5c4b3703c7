import '#ui/page/progress.css'
import { lazy, Suspense } from 'react'
import type { ProgressBarProps } from '#ui/prime/ProgressBar.tsx'

const LazyProgressBar = lazy(() => import(/* chunk: prime */ '#ui/prime/ProgressBar.tsx'))

/** Progress in percent. Always has an accessible name. The caller displays the number. */
export const ProgressBar = (props: ProgressBarProps) => (
  <Suspense fallback={<div className="progress" />}>
    <LazyProgressBar {...props} />
  </Suspense>
)
