import { lazy, Suspense } from 'react'
import type { ServiceResult } from '#features/activity/JobResult.tsx'

/** Of those who order, and of the provider's staff; where its code is not kept and there is no line, nothing is offered. */
const Result = lazy<ServiceResult>(() =>
  import(/* chunk: orders-services */ '#features/services/operations/TaskPassword.tsx').then(
    ({ TaskPassword: Drawn }) => ({ default: Drawn }),
    () => ({ default: () => null }),
  ),
)

export const TaskOfService: ServiceResult = (props) => (
  <Suspense fallback={null}>
    <Result {...props} />
  </Suspense>
)
