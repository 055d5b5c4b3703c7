import { createOptionalPart } from '#app/pages/create-optional-part.tsx'
import type { ServiceResultComponent } from '#features/activity/JobResult.tsx'

/** For users with the order right and the provider's staff. If its code cannot be loaded, nothing is shown. */
export const ServiceTaskResult: ServiceResultComponent = createOptionalPart(
  async () =>
    (await import(/* chunk: orders-services */ '#features/services/operations/TaskPassword.tsx')).TaskPassword,
)
