/** Checks all money, stores the result for the staff, and tells the alerted admins of the provider about faults (decision 123). */
import { PROVIDER } from '#domain/access.ts'
import { findMoneyCheckFaults, insertMoneyCheck } from '#server/db/payments/money-checks.ts'
import { listAlertedAdmins } from '#server/db/orders/reminders.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { MoneyCheckFault } from '#server/db/tables/refund-tables.ts'
import type { AppContext } from '#server/context/context.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { requestMail } from '#server/use-cases/mail/request-mail.ts'

/** Time in ms for which results are kept. */
const storedMs = 90 * 86_400_000

export async function checkMoney(app: AppContext): Promise<readonly MoneyCheckFault[]> {
  const now = app.clock()
  const faults = await writeAsSystem(app, async (db) => {
    const foundFaults = await findMoneyCheckFaults(db)
    const checkId = await insertMoneyCheck(db, { faults: foundFaults, now, storedFrom: now - storedMs })
    if (foundFaults.length > 0)
      for (const userId of await listAlertedAdmins(db, PROVIDER))
        await requestMail(db, { companyId: 0, now }, { mail: 'money-fault', userId, checkId })
    return foundFaults
  })
  if (faults.length === 0) return faults
  app.log.error(
    { event: 'money_faults', faults: faults.length, first: faults[0] },
    'the check of all money found faults',
  )
  notifyJobs(app)
  return faults
}
