/** Shows that the check notices: money is moved, doubled and lost in the database or in the gateways' book, each time rolled back. */
import { type RawBuilder, sql } from 'kysely'
import type { Database, Handle } from '#server/db/handle.ts'
import type { TakenPayment } from '#tests/campaigns/gateway-book.ts'
import { type Claim, compare } from '#tests/campaigns/money/check-money.ts'

const buyers = sql`(select id from company where code ~ '^h[0-9]')`
const realPayment = (outcome: RawBuilder<unknown>) => sql`(
  select max(id) from payment where company_id in ${buyers} and gateway <> 'simulate' and ${outcome})`
const applied = realPayment(sql`outcome = 'applied'`)
const latest = (table: string, condition: RawBuilder<unknown>) =>
  sql`(select max(id) from ${sql.table(table)} where company_id in ${buyers} and ${condition})`

const inDatabase: Record<string, RawBuilder<unknown>> = {
  'an invoice that is missing': sql`delete from invoice where id = ${latest('invoice', sql`true`)}`,
  'an invoice over another amount': sql`
    update invoice set content = jsonb_set(content, '{pay_amount}', '"0.01"') where id = ${latest('invoice', sql`true`)}`,
  'an invoice number that is left out': sql`
    update invoice set code = 'I' || substr(code, 2, 6) || '999999' where id = ${latest('invoice', sql`true`)}`,
  'a payment over another amount': sql`update payment set amount = amount + 0.01 where id = ${applied}`,
  'a payment in another currency': sql`
    update payment set currency = case currency when 'HKD' then 'USD' else 'HKD' end where id = ${applied}`,
  'a payment of something else': sql`
    update payment p set order_id = (select max(id) from service_order o where o.company_id = p.company_id and o.stored in ('unpaid', 'invalid'))
    where id = ${realPayment(sql`outcome = 'applied' and order_id is not null`)} and exists (
      select from service_order o where o.company_id = p.company_id and o.stored in ('unpaid', 'invalid'))`,
  'applied money that lost its owner': sql`update payment set outcome = 'replaced' where id = ${applied}`,
  'a task that is missing': sql`
    delete from payment_task where payment_id = ${realPayment(sql`outcome <> 'applied'`)}`,
  'a task that says it was refunded': sql`
    update payment_task set state = 'refunded', end_time = 1 where payment_id = ${realPayment(sql`outcome <> 'applied'`)}
      and state = 'open'`,
  'an attempt that is closed although it was paid': sql`
    update payment_attempt set state = 'closed' where id = ${latest('payment_attempt', sql`state = 'paid' and gateway <> 'simulate'`)}`,
  'an attempt that names another payment': sql`
    update payment_attempt set gateway_id = 'pi_nobody' where id = ${latest('payment_attempt', sql`state = 'paid'`)}`,
  'an order that is paid with nothing': sql`
    update service_order set stored = 'paid' where id = ${latest('service_order', sql`stored = 'unpaid' and pay_amount > 0`)}`,
  'an order that is not paid after all': sql`
    update service_order set stored = 'unpaid' where id = ${latest('service_order', sql`stored = 'paid'`)}`,
  'a second contract in force': sql`
    update contract set overwritten = false where id = ${latest('contract', sql`overwritten`)}`,
  'a contract that was sold for more': sql`
    update contract set segments = jsonb_set(segments, '{0,annual}', '"1.00"') where id = ${latest('contract', sql`true`)}`,
  'a contract that is longer': sql`
    update contract set period_end = '9998-01-01' where id = ${latest('contract', sql`true`)}`,
  'a backup that is not paid after all': sql`
    update backup_order set status = -1 where id = ${latest('backup_order', sql`status = 1 and pay_amount > 0`)}`,
  'traffic that is not paid after all': sql`
    update traffic set pay_date = null, pay_amount = null where id = ${latest('traffic', sql`pay_date is not null`)}`,
}

const inBook: Record<string, (book: TakenPayment[], paid: TakenPayment) => TakenPayment[]> = {
  'money that the gateway does not have': (book, paid) => book.filter((one) => one !== paid),
  'money that was taken twice': (book, paid) => [...book, paid],
  'money of which nothing was written down': (book, paid) => [
    ...book,
    { ...paid, key: 'nobody', references: ['nobody'] },
  ],
  'more money than was asked for': (book, paid) =>
    book.map((one) => (one === paid ? { ...one, taken: one.taken + 1 } : one)),
  'applied money that was given back': (book, paid) =>
    book.map((one) => (one === paid ? { ...one, refunded: one.taken } : one)),
}

export const tamperings = [...Object.keys(inDatabase), ...Object.keys(inBook)]

/** Each that there was something for, and whether the check noticed it. */
export async function tamper(
  database: Database,
  book: readonly TakenPayment[],
  claims: readonly Claim[],
): Promise<[name: string, isNoticed: boolean][]> {
  const results: [string, boolean][] = []
  const countFaults = async (db: Handle, changed: readonly TakenPayment[]) => {
    const { faults, underWay } = await compare(db, changed, claims)
    return new Set([...faults, ...underWay].map(({ text }) => text))
  }
  const before = await rolledBack(database, (db) => countFaults(db, book))
  const note = (name: string, after: ReadonlySet<string>) =>
    results.push([name, [...after].some((one) => !before.has(one))])
  for (const [name, statement] of Object.entries(inDatabase)) {
    const after = await rolledBack(database, async (db) => {
      // Null: the database itself refuses it.
      const changed = await statement.execute(db).catch(() => null)
      if (changed === null) return 'refused'
      return (changed.numAffectedRows ?? 0n) > 0n ? await countFaults(db, book) : 'nothing to change'
    })
    if (after === 'refused') results.push([name, true])
    else if (after !== 'nothing to change') note(name, after)
  }
  const paid = await rolledBack(database, (db) => appliedPayment(db, book))
  if (paid)
    for (const [name, change] of Object.entries(inBook))
      note(name, await rolledBack(database, (db) => countFaults(db, change([...book], paid))))
  return results
}

async function appliedPayment(db: Handle, book: readonly TakenPayment[]): Promise<TakenPayment | null> {
  const { rows } = await sql<{ reference: string }>`select reference from payment where id = ${applied}`.execute(db)
  return book.find(({ references }) => references.includes(rows[0]?.reference ?? '')) ?? null
}

async function rolledBack<T>({ kysely }: Database, work: (db: Handle) => Promise<T>): Promise<T> {
  const transaction = await kysely.startTransaction().execute()
  try {
    return await work(transaction)
  } finally {
    await transaction.rollback().execute()
  }
}
