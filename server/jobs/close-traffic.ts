/** Months of traffic are billed, and overdue ones suspend backups, soon after they do: whether or not anything is hosted here. */
import type { AppContext } from '#server/context.ts'
import { onClock } from '#server/jobs/interval.ts'
import { closeTraffic } from '#server/services/hosting/traffic/close-months.ts'

const pace = { firstMs: 8_000, everyMs: 60_000 }

/** Answers how to stop. */
export const closeTrafficOften = (app: AppContext): (() => Promise<void>) =>
  onClock(app, pace, closeTraffic, 'months of traffic could not be closed')
