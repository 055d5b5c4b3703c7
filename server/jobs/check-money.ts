/** Runs the check of all money on request of the staff, without waiting for the daily one (decision 123). */
import { toTimestamp } from '#domain/time.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { runMoneyCheck as endpoint } from '#contract/staff/refunds.ts'
import type { JobKind } from '#server/jobs/job-kind.ts'
import { checkMoney } from '#server/use-cases/money/check-money.ts'

export const createMoneyCheckJob = (): JobKind<unknown, null, OutputOf<typeof endpoint>> => ({
  // The check only reads, and a repeated one stores its result again.
  isResumable: true,
  async step({ app }) {
    const faults = await checkMoney(app)
    const time = toTimestamp(app.config.timeZone, app.clock())
    return { kind: 'done', output: { time, is_late: false, faults: [...faults] } }
  },
})
