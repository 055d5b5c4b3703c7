/**
 * Proves that the check finds errors: moves, doubles and removes money in the database or the gateways' book, and rolls each change back.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Database, DatabaseHandle } from '#server/db/database.ts'
import type { TakenPayment } from '#tests/campaigns/gateway-book.ts'
import { type MoneyClaim, compareMoney } from '#tests/campaigns/money/check-money.ts'

const buyers = sql`(select id from company where code ~ '^h[0-9]')`
const selectRealPayment = (outcome: RawBuilder<unknown>) => sql`(
  select max(id) from payment where company_id in ${buyers} and gateway not in ('simulate', 'credit', 'transfer') and ${outcome})`
const appliedPaymentId = selectRealPayment(sql`outcome = 'applied'`)
const selectLatest = (table: string, condition: RawBuilder<unknown>) =>
  sql`(select max(id) from ${sql.table(table)} where company_id in ${buyers} and ${condition})`

/** A group with an order, because one of backups only would leave nothing to change. */
const latestPaidGroup = sql`(
  select max(p.group_id) from payment p join payment_group_item i using (group_id)
  where p.company_id in ${buyers} and p.outcome = 'applied' and i.order_id is not null)`

const groupTamperings: Record<string, RawBuilder<unknown>> = {
  'a group of which one item is unpaid': sql`
    update service_order set stored = 'unpaid' where id = (
      select max(order_id) from payment_group_item where group_id = ${latestPaidGroup})`,
  'a group with one item less': sql`
    delete from payment_group_item where id = (
      select max(id) from payment_group_item where group_id = ${latestPaidGroup})`,
  'a group over another amount': sql`
    update payment set amount = amount + 0.01 where outcome = 'applied' and group_id = ${latestPaidGroup}`,
  'an item that two paid groups have': sql`
    insert into payment_group_item (group_id, company_id, order_id, backup_order_id, traffic_id)
    select ${latestPaidGroup}, i.company_id, i.order_id, i.backup_order_id, i.traffic_id
    from payment_group_item i join payment p on p.group_id = i.group_id and p.outcome = 'applied'
    where i.group_id <> ${latestPaidGroup} limit 1`,
  'a paid group without its group': sql`
    update payment set group_id = null where outcome = 'applied' and group_id = ${latestPaidGroup}`,
}

const databaseTamperings: Record<string, RawBuilder<unknown>> = {
  'an invoice that is missing': sql`delete from invoice where id = ${selectLatest('invoice', sql`true`)}`,
  'an invoice over another amount': sql`
    update invoice set content = jsonb_set(content, '{pay_amount}', '"0.01"') where id = ${selectLatest('invoice', sql`true`)}`,
  'an invoice number that is left out': sql`
    update invoice set code = 'I' || substr(code, 2, 6) || '999999' where id = ${selectLatest('invoice', sql`true`)}`,
  'a payment over another amount': sql`update payment set amount = amount + 0.01 where id = ${appliedPaymentId}`,
  'a payment in another currency': sql`
    update payment set currency = case currency when 'HKD' then 'USD' else 'HKD' end where id = ${appliedPaymentId}`,
  'a payment of something else': sql`
    update payment p set order_id = (select max(id) from service_order o where o.company_id = p.company_id and o.stored in ('unpaid', 'invalid'))
    where id = ${selectRealPayment(sql`outcome = 'applied' and order_id is not null`)} and exists (
      select from service_order o where o.company_id = p.company_id and o.stored in ('unpaid', 'invalid'))`,
  'applied money that lost its owner': sql`update payment set outcome = 'replaced' where id = ${appliedPaymentId}`,
  'a task that is missing': sql`
    delete from payment_task where payment_id = ${selectRealPayment(sql`outcome <> 'applied'`)}`,
  'a task that says it was refunded': sql`
    update payment_task set state = 'refunded', end_time = 1 where payment_id = ${selectRealPayment(sql`outcome <> 'applied'`)}
      and state = 'open'`,
  'an attempt that is closed although it was paid': sql`
    update payment_attempt set state = 'closed' where id = ${selectLatest('payment_attempt', sql`state = 'paid' and gateway not in ('simulate', 'credit', 'transfer')`)}`,
  'an attempt that names another payment': sql`
    update payment_attempt set gateway_id = 'pi_nobody' where id = ${selectLatest('payment_attempt', sql`state = 'paid'`)}`,
  'an order that is paid with nothing': sql`
    update service_order set stored = 'paid' where id = ${selectLatest('service_order', sql`stored = 'unpaid' and pay_amount > 0`)}`,
  'an order that is not paid after all': sql`
    update service_order set stored = 'unpaid' where id = ${selectLatest('service_order', sql`stored = 'paid'`)}`,
  'a second contract in force': sql`
    update contract set overwritten = false where id = ${selectLatest('contract', sql`overwritten`)}`,
  'a contract that was sold for more': sql`
    update contract set segments = jsonb_set(segments, '{0,annual}', '"1.00"') where id = ${selectLatest('contract', sql`true`)}`,
  'a contract that is longer': sql`
    update contract set period_end = '9998-01-01' where id = ${selectLatest('contract', sql`true`)}`,
  'a backup that is not paid after all': sql`
    update backup_order set status = -1 where id = ${selectLatest('backup_order', sql`status = 1 and pay_amount > 0`)}`,
  ...groupTamperings,
  'traffic that is not paid after all': sql`
    update traffic set pay_date = null, pay_amount = null where id = ${selectLatest('traffic', sql`pay_date is not null`)}`,
}

const refundTamperings: Record<string, RawBuilder<unknown>> = {
  'a refund over another amount': sql`
    update refund set amount = amount + 0.01 where id = ${selectLatest('refund', sql`state = 'done' and invoice_id is not null`)}`,
  'a refund that is missing': sql`
    update refund set state = 'failed' where id = ${selectLatest('refund', sql`state = 'done' and invoice_id is not null`)}`,
  'a credit note that is missing': sql`delete from credit_note where id = ${selectLatest('credit_note', sql`true`)}`,
  'an invoice with another sum of refunds': sql`
    update document set refunded = refunded - 0.01 where id = ${selectLatest('document', sql`refunded > 0`)}`,
  'a credit balance that is higher': sql`
    update credit_balance set balance = balance + 0.01 where company_id in ${buyers}`,
  'a refund to the balance that is missing': sql`
    delete from credit_entry where id = ${selectLatest('credit_entry', sql`cause = 'creditNote'`)}`,
  'credit of a smaller contract that is missing': sql`
    delete from credit_entry where id = ${selectLatest('credit_entry', sql`cause = 'contract'`)}`,
  'a credited transfer that is missing': sql`
    delete from credit_entry where id = ${selectLatest('credit_entry', sql`cause = 'transfer'`)}`,
  'credit that was used for nothing': sql`
    delete from credit_entry where id = ${selectLatest('credit_entry', sql`cause = 'payment'`)}`,
  'a dispute that ended otherwise': sql`
    update dispute set state = case state when 'won' then 'lost' else 'won' end, end_time = 1
    where id = ${selectLatest('dispute', sql`true`)}`,
}

const bookTamperings: Record<string, (book: TakenPayment[], appliedPaymentRow: TakenPayment) => TakenPayment[]> = {
  'money that the gateway does not have': (book, appliedPaymentRow) =>
    book.filter((payment) => payment !== appliedPaymentRow),
  'money that was taken twice': (book, appliedPaymentRow) => [...book, appliedPaymentRow],
  'money of which nothing was written down': (book, appliedPaymentRow) => [
    ...book,
    { ...appliedPaymentRow, key: 'nobody', references: ['nobody'] },
  ],
  'more money than was asked for': (book, appliedPaymentRow) =>
    book.map((payment) => (payment === appliedPaymentRow ? { ...payment, amount: payment.amount + 1 } : payment)),
  'applied money that was given back': (book, appliedPaymentRow) =>
    book.map((payment) =>
      payment === appliedPaymentRow ? { ...payment, refunded: payment.refunded + payment.amount } : payment,
    ),
}

const allTamperings = { ...databaseTamperings, ...refundTamperings }

export const tamperings = [...Object.keys(allTamperings), ...Object.keys(bookTamperings)]

/** Returns each change that was possible, and whether the check noticed it or the database refused it. */
export async function tamperWith(
  database: Database,
  book: readonly TakenPayment[],
  claims: readonly MoneyClaim[],
): Promise<[name: string, isNoticed: boolean][]> {
  const results: [string, boolean][] = []
  const countFaults = async (db: DatabaseHandle, changedBook: readonly TakenPayment[]) => {
    const { faults, pendingFaults } = await compareMoney(db, changedBook, claims)
    return new Set([...faults, ...pendingFaults].map(({ text }) => text))
  }
  const textsBefore = await runRolledBack(database, (db) => countFaults(db, book))
  const recordResult = (name: string, textsAfter: ReadonlySet<string>) =>
    results.push([name, [...textsAfter].some((payment) => !textsBefore.has(payment))])
  for (const [name, statement] of Object.entries(allTamperings)) {
    const textsAfter = await runRolledBack(database, async (db) => {
      // Null means that a database constraint refused the change.
      const updateResult = await statement.execute(db).catch(() => null)
      if (updateResult === null) return 'refused'
      return (updateResult.numAffectedRows ?? 0n) > 0n ? await countFaults(db, book) : 'nothing to change'
    })
    if (textsAfter === 'refused') results.push([name, true])
    else if (textsAfter !== 'nothing to change') recordResult(name, textsAfter)
  }
  const appliedPaymentRow = await runRolledBack(database, (db) => findAppliedPayment(db, book))
  if (appliedPaymentRow)
    for (const [name, change] of Object.entries(bookTamperings))
      recordResult(name, await runRolledBack(database, (db) => countFaults(db, change([...book], appliedPaymentRow))))
  return results
}

async function findAppliedPayment(db: DatabaseHandle, book: readonly TakenPayment[]): Promise<TakenPayment | null> {
  const { rows } = await sql<{
    reference: string
  }>`select reference from payment where id = ${appliedPaymentId}`.execute(db)
  return book.find(({ references }) => references.includes(rows[0]?.reference ?? '')) ?? null
}

async function runRolledBack<T>({ kysely }: Database, work: (db: DatabaseHandle) => Promise<T>): Promise<T> {
  const transaction = await kysely.startTransaction().execute()
  try {
    return await work(transaction)
  } finally {
    await transaction.rollback().execute()
  }
}
