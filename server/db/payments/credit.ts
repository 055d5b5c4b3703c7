/** Rows of credit balances and their ledger (decision 124). Needs the system role. */
import { sql } from 'kysely'
import { type Currency, type Hundredths, readAmount, writeAmount } from '#domain/money.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { unsettledStates } from '#server/db/payments/payment-attempts.ts'
import type { CreditEntryTable } from '#server/db/tables/credit-tables.ts'
import type { Insertable } from 'kysely'

export interface CreditRef {
  companyId: number
  currency: Currency
}

export interface LockedCredit extends CreditRef {
  balance: Hundredths
  /** Balance without what attempts of payment hold that are not settled. */
  available: Hundredths
}

/**
 * Locks the balance until the commit. Everything that adds or uses credit locks it, after the payables and before numbers of invoices are
 * taken. `exceptAttempt` is the attempt whose held part is counted as available, because it is being settled.
 */
export async function lockCredit(
  db: DatabaseHandle,
  { companyId, currency }: CreditRef,
  exceptAttempt: number | null = null,
): Promise<LockedCredit> {
  await db
    .insertInto('credit_balance')
    .values({ company_id: companyId, currency, balance: '0.00' })
    .onConflict((conflict) => conflict.columns(['company_id', 'currency']).doNothing())
    .execute()
  const { balance } = await db
    .selectFrom('credit_balance')
    .select('balance')
    .where('company_id', '=', companyId)
    .where('currency', '=', currency)
    .forUpdate()
    .executeTakeFirstOrThrow()
  const { held } = await db
    .selectFrom('payment_attempt')
    .select(sql<string>`round(coalesce(sum(credit), 0), 2)::text`.as('held'))
    .where('company_id', '=', companyId)
    .where('currency', '=', currency)
    .where('state', 'in', unsettledStates)
    .where('id', 'is distinct from', exceptAttempt)
    .executeTakeFirstOrThrow()
  return { companyId, currency, balance: readAmount(balance), available: readAmount(balance) - readAmount(held) }
}

type EntrySource = Omit<
  Insertable<CreditEntryTable>,
  'company_id' | 'currency' | 'amount' | 'balance' | 'id' | 'create_time'
> & { amount: Hundredths; now: number }

/**
 * Adds an entry, which is negative if credit is used, and returns the new balance. The balance must be locked. Throws if it would become
 * negative.
 */
export async function addCreditEntry(
  db: DatabaseHandle,
  { companyId, currency }: CreditRef,
  { amount, now, ...source }: EntrySource,
): Promise<Hundredths> {
  const { balance } = await db
    .updateTable('credit_balance')
    .set({ balance: sql`balance + ${writeAmount(amount)}::numeric` })
    .where('company_id', '=', companyId)
    .where('currency', '=', currency)
    .returning('balance')
    .executeTakeFirstOrThrow()
  const entry = { company_id: companyId, currency, amount: writeAmount(amount), balance, create_time: now }
  await db
    .insertInto('credit_entry')
    .values({ ...entry, ...source })
    .execute()
  return readAmount(balance)
}
