/**
 * Asks the gateways about what was cut off in the middle, each attempt at growing distances until its last word is said,
 * and ends what must not be paid any more. By the clock, and when the staff ask for it (D53).
 */
import type { OutputOf } from '#contract/endpoint.ts'
import type { reconcilePayments as endpoint } from '#contract/payments.ts'
import { type AttemptRecord, isAnyDue, lookAtAll, takeDue } from '#server/db/payments/payment-attempts.ts'
import { isAnyRefundDue } from '#server/db/payments/payment-tasks.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import type { JobKind } from '#server/jobs/job-kind.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { askToLook } from '#server/use-cases/payments/request-reconciliation.ts'
import { settleRefunds } from '#server/use-cases/payments/settle-refunds.ts'
import { tend } from '#server/use-cases/payments/settle-attempt.ts'

export const reconcileJob = 'reconcile-payments'
/** Requests within this time are one, ms. */
const gatherMs = 10_000
/** Of one step. */
const most = 10

type Output = OutputOf<typeof endpoint>
/** `total`: attempts to look at, as counted at the start. */
type Point = Output & { total?: number }
const system = { role: 'portal_system' } as const
const start: Output = { looked: 0, paid: 0, ended: 0, waiting: 0, unanswered: 0 }

const step: JobKind<unknown, Point, Output>['step'] = async ({ app, point }) => {
  const { total = 0, ...so }: Point = point ?? start
  await settleRefunds(app)
  const due = await inTransaction(app, system, (db) => takeDue(db, app.clock(), most))
  const after = { ...so }
  for (const attempt of due) {
    after.looked += 1
    after[await becameOf(app, attempt)] += 1
  }
  if (due.length < most) return { kind: 'done', output: after }
  const { looked } = after
  // More may come due meanwhile: a hundred is said by the end alone.
  const percent = Math.min(99, Math.floor((looked / Math.max(total, looked)) * 100))
  return { kind: 'on', point: { ...after, total }, percent, info: { name: '', message: `${looked} / ${total}` } }
}

async function becameOf(app: AppContext, attempt: AttemptRecord): Promise<Exclude<keyof Output, 'looked'>> {
  try {
    const { state } = await tend(app, attempt)
    if (state === 'paid') return 'paid'
    return state === 'declined' || state === 'closed' ? 'ended' : 'waiting'
  } catch (error) {
    app.log.warn({ err: error, attempt: attempt.id }, 'a payment could not be asked about')
    return 'unanswered'
  }
}

/** All that is not settled, at once. */
export const reconcilePayments = (): JobKind<unknown, Point, Output> => ({
  resumes: true,
  async step(work) {
    const { app, point } = work
    if (point !== null) return await step(work)
    const total = await inTransaction(app, system, (db) => lookAtAll(db, app.clock()))
    return await step({ ...work, point: { ...start, total } })
  },
})

/** What is due. */
export const lookAfterPayments = (): JobKind<unknown, Point, Output> => ({ resumes: true, quiet: true, step })

/** Two nodes that ask at once ask for one job. */
export async function askWhereDue(app: AppContext): Promise<void> {
  const now = app.clock()
  const intent = `look-${Math.floor(now / gatherMs)}`
  const isAsked = await inTransaction(
    app,
    system,
    async (db) =>
      ((await isAnyDue(db, now)) || (await isAnyRefundDue(db, now))) &&
      (await askToLook(db, { companyId: 0, intent, now })),
  )
  if (isAsked) notifyJobs(app)
}
