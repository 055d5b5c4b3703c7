/**
 * Queries the gateways about interrupted payments, closes those that must not be paid any more (D53), settles refunds, and checks open
 * disputes, whose notices may be lost.
 */
import type { OutputOf } from '#contract/endpoint.ts'
import type { reconcilePayments as endpoint } from '#contract/payments.ts'
import {
  type AttemptRecord,
  hasDueAttempt,
  scheduleAllChecks,
  claimDueAttempts,
} from '#server/db/payments/payment-attempts.ts'
import { claimDueDisputes, hasDueDispute, scheduleAllDisputes } from '#server/db/payments/disputes.ts'
import { findAttemptOfPayment, hasDueRefund, scheduleAllRefunds } from '#server/db/payments/refunds.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import type { JobKind } from '#server/jobs/job-kind.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { findLostRefunds } from '#server/use-cases/refunds/find-lost-refunds.ts'
import { inspectPayment } from '#server/use-cases/refunds/inspect-payment.ts'
import { requestReconciliation } from '#server/use-cases/payments/request-reconciliation.ts'
import { settleRefunds } from '#server/use-cases/refunds/settle-refunds.ts'
import { refreshAttempt } from '#server/use-cases/payments/settle-attempt.ts'

export const reconcileJob = 'reconcile-payments'
/** Length of a time slot in ms. All requests within one slot become one job. */
const groupingMs = 10_000
const maxAttemptsPerStep = 10
const maxDisputesPerStep = 10

type ReconcileOutput = OutputOf<typeof endpoint>
/** `total` is the number of attempts to check, as counted at the start. */
type ReconcilePoint = ReconcileOutput & { total?: number }
const initialOutput: ReconcileOutput = { looked: 0, paid: 0, ended: 0, waiting: 0, unanswered: 0 }

const runStep: JobKind<unknown, ReconcilePoint, ReconcileOutput>['step'] = async ({ app, point }) => {
  const { total = 0, ...previousOutput }: ReconcilePoint = point ?? initialOutput
  await settleRefunds(app)
  await checkDisputes(app)
  const dueAttempts = await writeAsSystem(app, (db) => claimDueAttempts(db, app.clock(), maxAttemptsPerStep))
  const output = { ...previousOutput }
  for (const attempt of dueAttempts) {
    output.looked += 1
    output[await checkAttempt(app, attempt)] += 1
  }
  if (dueAttempts.length < maxAttemptsPerStep) return { kind: 'done', output }
  const { looked: checkedCount } = output
  // More attempts may become due before the end, so 100 % is only reported at the end.
  const percent = Math.min(99, Math.floor((checkedCount / Math.max(total, checkedCount)) * 100))
  return { kind: 'on', point: { ...output, total }, percent, info: { name: '', message: `${checkedCount} / ${total}` } }
}

async function checkDisputes(app: AppContext): Promise<void> {
  const payments = await writeAsSystem(app, (db) => claimDueDisputes(db, app.clock(), maxDisputesPerStep))
  for (const payment of payments) {
    const attempt = await writeAsSystem(app, (db) => findAttemptOfPayment(db, payment))
    if (!attempt) continue
    await inspectPayment(app, attempt).catch((error: unknown) => {
      app.log.warn(
        { event: 'dispute_check_failed', err: error, attempt: attempt.id },
        'could not query a dispute at the gateway',
      )
    })
  }
}

async function checkAttempt(
  app: AppContext,
  attempt: AttemptRecord,
): Promise<Exclude<keyof ReconcileOutput, 'looked'>> {
  try {
    const { state } = await refreshAttempt(app, attempt)
    if (state === 'paid') return 'paid'
    return state === 'declined' || state === 'closed' ? 'ended' : 'waiting'
  } catch (error) {
    app.log.warn(
      { event: 'payment_check_failed', err: error, attempt: attempt.id },
      'could not query a payment at the gateway',
    )
    return 'unanswered'
  }
}

export const createReconcileJob = (): JobKind<unknown, ReconcilePoint, ReconcileOutput> => ({
  isResumable: true,
  async step(context) {
    const { app, point } = context
    if (point !== null) return await runStep(context)
    const total = await writeAsSystem(app, async (db) => {
      await scheduleAllRefunds(db, app.clock())
      await scheduleAllDisputes(db, app.clock())
      return await scheduleAllChecks(db, app.clock())
    })
    await findLostRefunds(app)
    return await runStep({ ...context, point: { ...initialOutput, total } })
  },
})

export const createPaymentCheckJob = (): JobKind<unknown, ReconcilePoint, ReconcileOutput> => ({
  isResumable: true,
  isQuiet: true,
  step: runStep,
})

/** Requests the job if a payment, a refund or a dispute is due. Two nodes that call this at the same time create one job. */
export async function requestReconcileIfDue(app: AppContext): Promise<void> {
  const now = app.clock()
  const intent = `look-${Math.floor(now / groupingMs)}`
  const isRequested = await writeAsSystem(
    app,
    async (db) =>
      ((await hasDueAttempt(db, now)) || (await hasDueRefund(db, now)) || (await hasDueDispute(db, now))) &&
      (await requestReconciliation(db, { companyId: 0, intent, now })),
  )
  if (isRequested) notifyJobs(app)
}
