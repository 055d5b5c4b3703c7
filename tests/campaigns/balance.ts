/** Compares a database's orders, contracts, backups, payments, invoices and attempts with the amounts the gateways took. */
import { sql } from 'kysely'
import pino from 'pino'
import { readAmount } from '#domain/money.ts'
import { readConfig } from '#server/config/config.ts'
import { openDatabase } from '#server/db/open.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import type { SandboxServer } from '#demo/payment-sandbox/sandbox-server.ts'
import { readGatewayBook } from '#tests/campaigns/gateway-book.ts'
import type { Payer, PaymentSubject } from '#tests/campaigns/payers.ts'

/** Amounts that the gateways took, in hundredths, by the portal's payment key. */
export type TakenAmounts = ReadonlyMap<string, number>

/** Returns the amounts that the gateways took. Throws if a key was charged twice. */
export async function readTakenAmounts(sandbox: SandboxServer): Promise<TakenAmounts> {
  const entries = (await readGatewayBook(sandbox)).map(({ key, amount }) => [key, amount] as const)
  const takenByKey = new Map(entries)
  if (takenByKey.size !== entries.length) throw new Error('a gateway took money twice for one key')
  return takenByKey
}

interface OrderBalance {
  id: number
  stored: string
  deleted: boolean
  pay_amount: string
  contracts: number
  invoices: number
  appliedCount: number
}

/** A backup or a month of traffic for which a payment was started. */
interface OtherBalance {
  subject: PaymentSubject
  id: number
  isPaid: boolean
  invoices: number
  appliedCount: number
}

export interface BalanceReport {
  /** Differences that are errors, unlike the payments in `cutCount`. */
  faults: string[]
  /** Number of payments that were taken but not applied yet, because the server was killed between gateway and commit. */
  cutCount: number
  appliedCount: number
}

/** Compares the database with the amounts that the gateways took. The orders of `settledPayers` must be completely settled. */
export async function countBalance(
  env: Record<string, string>,
  takenByKey: TakenAmounts,
  settledPayers: readonly Payer[],
): Promise<BalanceReport> {
  const config = readConfig({ ...env, TOKEN_KEY: '00'.repeat(32) })
  const database = await openDatabase(config, pino({ level: 'silent' }))
  try {
    // Reads everything in one snapshot, because the database still executes statements that the killed server had sent.
    return await database.kysely
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (db) => {
        await sql`set local role portal_system`.execute(db)
        return await compare(db, takenByKey, settledPayers)
      })
  } finally {
    await database.close()
  }
}

async function compare(
  db: DatabaseHandle,
  takenByKey: TakenAmounts,
  settledPayers: readonly Payer[],
): Promise<BalanceReport> {
  const { rows: orders } = await sql<OrderBalance>`
    select o.id, o.stored, o.deleted, o.pay_amount::text,
      (select count(*)::integer from contract c where c.order_id = o.id) as contracts,
      (select count(*)::integer from invoice i where i.order_id = o.id) as invoices,
      (select count(*)::integer from payment p where p.order_id = o.id and p.outcome = 'applied') as "appliedCount"
    from service_order o order by o.id`.execute(db)
  const { rows: otherRows } = await sql<OtherBalance>`
    select one.*,
      (select count(*)::integer from invoice i
        where i.backup_order_id = one.backup_order_id or i.traffic_id = one.traffic_id) as invoices,
      (select count(*)::integer from payment p
        where (p.backup_order_id = one.backup_order_id or p.traffic_id = one.traffic_id) and p.outcome = 'applied') as "appliedCount"
    from (
      select 'PDBORDER' as subject, id, id as backup_order_id, null::integer as traffic_id, status = 1 as "isPaid" from backup_order
      union all
      select 'TRAFFIC', id, null, id, pay_date is not null from traffic) one
    where exists (select from payment_attempt a
      where a.backup_order_id = one.backup_order_id or a.traffic_id = one.traffic_id)`.execute(db)
  const attempts = await db.selectFrom('payment_attempt').selectAll().orderBy('id').execute()
  const payments = await db.selectFrom('payment').selectAll().where('gateway', '<>', 'simulate').execute()
  const { rows: unaccounted } = await sql<{ reference: string }>`
    select p.reference from payment p left join payment_task t on t.payment_id = p.id
    where (p.outcome = 'applied') <> (t.id is null)`.execute(db)
  const { rows: invoices } = await sql<{ code: string }>`select code from invoice order by code`.execute(db)
  const attemptsByKey = new Map(attempts.map((row) => [row.key, row]))
  const keysByReference = new Map(
    attempts.map(({ state, gateway_id, key }) => [state === 'paid' ? gateway_id : null, key]),
  )
  const faults = [...findTornOrders(orders), ...findTornOthers(otherRows), ...findInvoiceGaps(invoices)]
  for (const { reference } of unaccounted) faults.push(`payment ${reference} is neither applied nor a task`)
  for (const { reference, amount } of payments)
    if (takenByKey.get(keysByReference.get(reference) ?? '') !== toHundredths(amount))
      faults.push(`payment ${reference} is recorded, but the gateway has different data`)
  let cutCount = 0
  for (const [key, amount] of takenByKey) {
    const attempt = attemptsByKey.get(key)
    if (!attempt) faults.push(`money was taken for ${key}, but no attempt was recorded before`)
    else if (toHundredths(attempt.amount) !== amount)
      faults.push(`${amount} was taken for ${key}, but ${attempt.amount} was due`)
    if (attempt && attempt.state !== 'paid') cutCount += 1
  }
  for (const payer of settledPayers) {
    const isOfPayer = (row: Record<(typeof columns)[keyof typeof columns], number | null>) =>
      row[columns[payer.subject]] === payer.id
    const order = payer.subject === 'CONTRACT' ? orders.find(({ id }) => id === payer.id) : undefined
    const otherRow = otherRows.find(({ subject, id }) => subject === payer.subject && id === payer.id)
    const stored = order?.stored ?? (otherRow?.isPaid ? 'paid' : 'unpaid')
    const takenAttempts = attempts.filter(isOfPayer).filter(({ key }) => takenByKey.has(key))
    const writtenPayments = payments.filter(isOfPayer)
    const isPaid = stored === 'paid'
    const name = `${payer.subject} ${payer.id} (${payer.plan}, round ${payer.round})`
    if (takenAttempts.length > 1) faults.push(`${name} was paid ${takenAttempts.length} times`)
    if (writtenPayments.length !== takenAttempts.length)
      faults.push(`${name}: ${takenAttempts.length} taken, ${writtenPayments.length} recorded`)
    if (takenAttempts.length > 0 && !isPaid && !order?.deleted)
      faults.push(`${name}: money was taken, but its state is ${stored}`)
    if (isPaid && takenAttempts.length === 0) faults.push(`${name} is paid without money`)
    if (payer.payerState === 'paid' && !isPaid) faults.push(`${name}: the payer was informed that it is paid`)
    if (payer.payerState === 'gone' && !order?.deleted) faults.push(`${name} was deleted but still exists`)
    if (payer.plan !== 'left' && payer.plan !== 'deleted' && !isPaid) faults.push(`${name} is not paid`)
  }
  return { faults, cutCount, appliedCount: payments.filter(({ outcome }) => outcome === 'applied').length }
}

const columns = { CONTRACT: 'order_id', PDBORDER: 'backup_order_id', TRAFFIC: 'traffic_id' } as const

/** Returns orders that have only some effects of their payment. All effects must exist exactly once, or none. */
const findTornOrders = (orders: readonly OrderBalance[]): string[] =>
  orders.flatMap(({ id, stored, contracts, invoices, appliedCount }) => {
    const expectedCount = stored === 'paid' || stored === 'overwritten' ? 1 : 0
    return contracts === expectedCount && invoices === expectedCount && appliedCount === expectedCount
      ? []
      : [`order ${id} is ${stored} with ${contracts} contracts, ${invoices} invoices and ${appliedCount} payments`]
  })

const findTornOthers = (otherRows: readonly OtherBalance[]): string[] =>
  otherRows.flatMap(({ subject, id, isPaid, invoices, appliedCount }) => {
    const expectedCount = isPaid ? 1 : 0
    return invoices === expectedCount && appliedCount === expectedCount
      ? []
      : [`${subject} ${id} is ${isPaid ? '' : 'not '}paid with ${invoices} invoices and ${appliedCount} payments`]
  })

/** Returns the gaps in the invoice numbers, which start at 1 each year (D90). */
function findInvoiceGaps(invoices: readonly { code: string }[]): string[] {
  const byYear = Map.groupBy(invoices, ({ code }) => code.slice(1, 5))
  return [...byYear].flatMap(([year, invoicesOfYear]) => {
    const numbers = invoicesOfYear.map(({ code }) => Number(code.slice(7))).toSorted((a, b) => a - b)
    return numbers.every((number, index) => number === index + 1)
      ? []
      : [`the invoices of ${year} have gaps: ${numbers.join(' ')}`]
  })
}

const toHundredths = (amount: string) => Number(readAmount(amount))
