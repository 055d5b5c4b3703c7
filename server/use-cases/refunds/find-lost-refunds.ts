/** Finds refunds at the gateways whose notices were lost, also that one could not be completed (decision 123). */
import { findAttemptByKey } from '#server/db/payments/payment-attempts.ts'
import { findKnownRefunds } from '#server/db/payments/refunds.ts'
import { readAsSystem, writeAsSystem } from '#server/db/transaction.ts'
import type { RecentRefund } from '#server/drivers/payment/payment-driver.ts'
import type { AppContext } from '#server/context/context.ts'
import { inspectPayment } from '#server/use-cases/refunds/inspect-payment.ts'

/** Age in ms up to which refunds are searched. A bank may need this long to send a refund back. */
const searchedMs = 30 * 86_400_000

/** A gateway that does not respond is asked again with the next search. */
export async function findLostRefunds(app: AppContext): Promise<void> {
  const from = app.clock() - searchedMs
  for (const type of app.payments.types) {
    const driver = await app.payments.findDriver(type)
    await warnIfFailed(app, type, async () => {
      const refunds = (await driver?.listRecentRefunds(from)) ?? []
      // A payment that cannot be inspected, for example because a refund is in progress, does not stop the search of others.
      for (const paymentKey of await listChangedPayments(app, refunds))
        await warnIfFailed(app, type, () => inspectByKey(app, paymentKey))
    })
  }
}

async function warnIfFailed(app: AppContext, gateway: string, search: () => Promise<void>): Promise<void> {
  try {
    await search()
  } catch (error) {
    app.log.warn(
      { event: 'refund_search_failed', err: error, gateway },
      'could not search refunds at a gateway; the next search repeats it',
    )
  }
}

/** Returns the keys of payments with a refund that the portal does not know as the gateway reports it. */
async function listChangedPayments(app: AppContext, refunds: readonly RecentRefund[]): Promise<Set<string>> {
  if (refunds.length === 0) return new Set()
  const names = refunds.flatMap(({ key, reference }) => [reference, ...(key === null ? [] : [key])])
  const knownRefunds = await readAsSystem(app, (db) => findKnownRefunds(db, names))
  const changedRefunds = refunds.filter(({ key, reference, status }) => {
    const hasFailed = knownRefunds.get(reference) ?? (key === null ? undefined : knownRefunds.get(key))
    return status === 'done' ? hasFailed === undefined : status === 'failed' && hasFailed === false
  })
  return new Set(changedRefunds.map(({ paymentKey }) => paymentKey))
}

/** The account of the gateway may also have payments of another shop. */
async function inspectByKey(app: AppContext, paymentKey: string): Promise<void> {
  const attempt = await writeAsSystem(app, (db) => findAttemptByKey(db, paymentKey))
  if (attempt?.state === 'paid') await inspectPayment(app, attempt)
}
