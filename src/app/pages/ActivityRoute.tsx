import { ActivityPage } from '#features/activity/ActivityPage.tsx'
import { ServiceTaskResult } from '#app/pages/ServiceTaskResult.tsx'

export const ActivityRoute = () => <ActivityPage ServiceResult={ServiceTaskResult} />
