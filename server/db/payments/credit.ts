/** Rows of credit balances and their ledger (decision 124). Needs the system role. */
import { sql } from 'kysely'
import type { CreditCause } from '#domain/credit.ts'
import { type Currency, type Hundredths, readAmount, writeAmount } from '#domain/money.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
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
  const { used } = await db
    .selectFrom('payment_attempt')
    .select(sql<string>`round(coalesce(sum(credit), 0), 2)::text`.as('used'))
    .where('company_id', '=', companyId)
    .where('currency', '=', currency)
    .where('state', 'in', unsettledStates)
    .where('id', 'is distinct from', exceptAttempt)
    .executeTakeFirstOrThrow()
  return { companyId, currency, balance: readAmount(balance), available: readAmount(balance) - readAmount(used) }
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

/** Returns the balances that are or were not zero. */
export async function listCreditBalances(
  db: DatabaseHandle,
  companyId: number,
): Promise<{ currency: Currency; balance: string; held: string }[]> {
  const { rows } = await sql<{ currency: Currency; balance: string; held: string }>`
    select b.currency, b.balance::text, (
      select coalesce(sum(a.credit), 0)::text from payment_attempt a
      where a.company_id = b.company_id and a.currency = b.currency
        and a.state in (${sql.join(unsettledStates)})) as held
    from credit_balance b
    where b.company_id = ${companyId} and exists (
      select from credit_entry e where e.company_id = b.company_id and e.currency = b.currency)
    order by b.currency`.execute(db)
  return rows
}

interface CreditEntryRecord {
  id: number
  currency: Currency
  cause: CreditCause
  amount: string
  balance: string
  create_time: number
  reason: string | null
  /** Number of what the entry is about. */
  reference: string | null
}

/** Returns the latest entries, newest first. */
export async function listCreditEntries(
  db: DatabaseHandle,
  companyId: number,
  limit: number,
): Promise<CreditEntryRecord[]> {
  const { rows } = await sql<CreditEntryRecord>`
    select e.id, e.currency, e.cause, e.amount::text, e.balance::text, e.create_time, e.reason,
      coalesce(e.reference, n.code, c.code, nullif(t.bank_reference, ''), 'T' || t.id,
        (select string_agg(d.code, ', ' order by d.id) from document d
          where d.kind = 'invoice' and d.method = p.gateway and d.reference = p.reference)) as reference
    from credit_entry e
      left join bank_transfer t on t.id = e.transfer_id
      left join credit_note n on n.refund_id = e.refund_id
      left join contract c on c.id = e.contract_id
      left join payment p on p.id = e.payment_id
    where e.company_id = ${companyId} order by e.id desc limit ${limit}`.execute(db)
  return rows
}

/** Returns the amount that the change which created the contract has credited. */
export async function findContractCredit(
  db: DatabaseHandle,
  companyId: number,
  contractId: number,
): Promise<Hundredths> {
  const entry = await findRow(
    db
      .selectFrom('credit_entry')
      .select('amount')
      .where('company_id', '=', companyId)
      .where('contract_id', '=', contractId),
  )
  return entry ? readAmount(entry.amount) : 0n
}

/** Returns the id of the latest entry about a contract of the service, or null. */
export async function findLatestContractEntry(
  db: DatabaseHandle,
  { companyId, code }: { companyId: number; code: string },
): Promise<number | null> {
  const entry = await findRow(
    db
      .selectFrom('credit_entry as e')
      .innerJoin('contract as c', 'c.id', 'e.contract_id')
      .select('e.id')
      .where('e.company_id', '=', companyId)
      .where('c.service_code', '=', code)
      .orderBy('e.id', 'desc')
      .limit(1),
  )
  return entry?.id ?? null
}

/** Returns the withdrawal of the company with the bank's reference, in any currency. */
export const findWithdrawal = (
  db: DatabaseHandle,
  { companyId, reference }: { companyId: number; reference: string },
): Promise<{ id: number } | null> =>
  findRow(
    db
      .selectFrom('credit_entry')
      .select('id')
      .where('company_id', '=', companyId)
      .where('cause', '=', 'withdrawal')
      .where(sql<boolean>`lower(reference) = lower(${reference})`)
      .limit(1),
  )
