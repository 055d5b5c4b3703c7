/** Checks all money, stores the result for the staff, and mails faults to the alerted admins of the provider (decision 123). */
import { PROVIDER } from '#domain/access.ts'
import { type MoneyRule, moneyRules } from '#domain/money-faults.ts'
import { findFaultsOfRule, insertMoneyCheck } from '#server/db/payments/money-checks.ts'
import { listAlertedAdmins } from '#server/db/orders/reminders.ts'
import { readAsSystem, writeAsSystem } from '#server/db/transaction.ts'
import type { MoneyCheckFault } from '#server/db/tables/refund-tables.ts'
import type { AppContext } from '#server/context/context.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { requestMail } from '#server/use-cases/mail/request-mail.ts'

/** Time in ms for which results are kept. */
const storedMs = 90 * 86_400_000

export async function checkMoney(app: AppContext): Promise<readonly MoneyCheckFault[]> {
  const now = app.clock()
  const faults: MoneyCheckFault[] = []
  for (const rule of moneyRules) faults.push(...(await checkRule(app, rule)))
  await writeAsSystem(app, async (db) => {
    const checkId = await insertMoneyCheck(db, { faults, now, storedFrom: now - storedMs })
    if (faults.length > 0)
      for (const userId of await listAlertedAdmins(db, PROVIDER))
        await requestMail(db, { companyId: 0, now }, { mail: 'money-fault', userId, checkId })
  })
  if (faults.length === 0) return faults
  app.log.error(
    { event: 'money_faults', faults: faults.length, first: faults[0] },
    'the check of all money found faults',
  )
  notifyJobs(app)
  return faults
}

/** Each rule has a transaction of its own, so requests run between them. A rule that fails is a fault, and the others are still checked. */
async function checkRule(app: AppContext, rule: MoneyRule): Promise<MoneyCheckFault[]> {
  try {
    return await readAsSystem(app, (db) => findFaultsOfRule(db, rule))
  } catch (error) {
    app.log.error({ event: 'money_rule_failed', rule, err: error }, 'a rule of the check of all money failed')
    return [{ rule, company_id: null, company_name: null, values: null }]
  }
}
