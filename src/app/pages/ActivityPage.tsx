/** The list of tasks with what the services know of theirs: a feature sees no other one. */
import { Activity } from '#features/activity/ActivityPage.tsx'
import { TaskOfService } from '#app/pages/TaskOfService.tsx'

export const OwnActivity = () => <Activity Service={TaskOfService} />
