import { createOptionalPart } from '#app/pages/create-optional-part.tsx'
import type { ServiceResultComponent } from '#features/activity/JobResult.tsx'

/** For those who order, and for the provider's staff. Without its code nothing is offered. */
export const ServiceTaskResult: ServiceResultComponent = createOptionalPart(
  async () =>
    (await import(/* chunk: orders-services */ '#features/services/operations/TaskPassword.tsx')).TaskPassword,
)
