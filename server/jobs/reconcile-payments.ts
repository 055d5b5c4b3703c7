/**
 * Asks the gateways about what was cut off in the middle, each attempt at growing distances until its last word is said,
 * and ends what must not be paid any more. By the clock, and when the staff ask for it (D53).
 */
import type { OutputOf } from '#contract/endpoint.ts'
import type { reconcilePayments as endpoint } from '#contract/payments.ts'
import { type AttemptRecord, isAnyDue, lookAtAll, takeDue } from '#server/db/payment-attempts.ts'
import { inScope } from '#server/db/scope.ts'
import type { House } from '#server/house.ts'
import { onClock } from '#server/jobs/clock.ts'
import type { JobKind } from '#server/jobs/kinds.ts'
import { ringForJobs } from '#server/services/jobs.ts'
import { askToLook } from '#server/services/payment-looks.ts'
import { tend } from '#server/services/settling.ts'

export const reconcileJob = 'reconcile-payments'
const everyMs = 10_000
const firstMs = 1000
/** Of one step. */
const most = 10

type Point = OutputOf<typeof endpoint>
const system = { role: 'portal_system' } as const

const step: JobKind<unknown, Point, Point>['step'] = async ({ house, point }) => {
  const so = point ?? { looked: 0, paid: 0, ended: 0, waiting: 0, unanswered: 0 }
  const due = await inScope(house, system, (db) => takeDue(db, house.clock(), most))
  const after = { ...so }
  for (const attempt of due) {
    after.looked += 1
    after[await becameOf(house, attempt)] += 1
  }
  return due.length < most ? { is: 'done', output: after } : { is: 'on', point: after, percent: 50 }
}

async function becameOf(house: House, attempt: AttemptRecord): Promise<Exclude<keyof Point, 'looked'>> {
  try {
    const { state } = await tend(house, attempt)
    if (state === 'paid') return 'paid'
    return state === 'declined' || state === 'closed' ? 'ended' : 'waiting'
  } catch (error) {
    house.log.warn({ err: error, attempt: attempt.id }, 'a payment could not be asked about')
    return 'unanswered'
  }
}

/** All that is not settled, at once. */
export const reconcilePayments = (): JobKind<unknown, Point, Point> => ({
  resumes: true,
  async step(work) {
    if (work.point === null) await inScope(work.house, system, (db) => lookAtAll(db, work.house.clock()))
    return await step(work)
  },
})

/** What is due. */
export const lookAfterPayments = (): JobKind<unknown, Point, Point> => ({ resumes: true, quiet: true, step })

/** Two nodes that ask at once ask for one job. */
export async function askWhereDue(house: House): Promise<void> {
  const now = house.clock()
  const intent = `look-${Math.floor(now / everyMs)}`
  const isAsked = await inScope(
    house,
    system,
    async (db) => (await isAnyDue(db, now)) && (await askToLook(db, { companyId: 0, intent, now })),
  )
  if (isAsked) ringForJobs(house)
}

/** Answers how to stop. */
export const reconcileOften = (house: House): (() => Promise<void>) =>
  onClock(house, { firstMs, everyMs }, askWhereDue, 'payments could not be looked after')
