import { moneyRules } from '#domain/money-faults.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findFaultsOfRule } from '#server/db/payments/money-checks.ts'
import type { MoneyCheckFault } from '#server/db/tables/refund-tables.ts'

/** Checks all money in the transaction of the handle. */
export async function findMoneyFaults(db: DatabaseHandle): Promise<MoneyCheckFault[]> {
  const faults: MoneyCheckFault[] = []
  for (const rule of moneyRules) faults.push(...(await findFaultsOfRule(db, rule)))
  return faults
}
