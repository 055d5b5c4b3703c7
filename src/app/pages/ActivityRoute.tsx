/** The list of tasks with what the services know of theirs: a feature sees no other one. */
import { ActivityPage } from '#features/activity/ActivityPage.tsx'
import { ServiceTaskResult } from '#app/pages/ServiceTaskResult.tsx'

export const ActivityRoute = () => <ActivityPage ServiceResult={ServiceTaskResult} />
