import { lazy, Suspense } from 'react'
import type { ServiceResultComponent } from '#features/activity/JobResult.tsx'

/** Of those who order, and of the provider's staff; where its code is not kept and there is no line, nothing is offered. */
const LazyTaskPassword = lazy<ServiceResultComponent>(() =>
  import(/* chunk: orders-services */ '#features/services/operations/TaskPassword.tsx').then(
    ({ TaskPassword: TaskPasswordPart }) => ({ default: TaskPasswordPart }),
    () => ({ default: () => null }),
  ),
)

export const ServiceTaskResult: ServiceResultComponent = (props) => (
  <Suspense fallback={null}>
    <LazyTaskPassword {...props} />
  </Suspense>
)
