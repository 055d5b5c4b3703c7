/** Orders, contracts, backups, payments, invoices and attempts of a database against what the gateways have taken. */
import { sql } from 'kysely'
import pino from 'pino'
import { readAmount } from '#domain/money.ts'
import { readConfig } from '#server/config/config.ts'
import { openDatabase } from '#server/db/open.ts'
import type { Handle } from '#server/db/handle.ts'
import type { Sandbox } from '#demo/payment-sandbox/server.ts'
import { readGatewayBook } from '#tests/campaigns/gateway-book.ts'
import type { Paying, Subject } from '#tests/campaigns/payers.ts'

/** What the gateways took, in hundredths by our key. */
export type Taken = ReadonlyMap<string, number>

/** Throws where one key took money twice. */
export async function takenBy(sandbox: Sandbox): Promise<Taken> {
  const paid = (await readGatewayBook(sandbox)).map(({ key, taken }) => [key, taken] as const)
  const taken = new Map(paid)
  if (taken.size !== paid.length) throw new Error('a gateway took money twice for one key')
  return taken
}

interface Row {
  id: number
  stored: string
  deleted: boolean
  pay_amount: string
  contracts: number
  invoices: number
  applied: number
}

/** A backup or a month's traffic that somebody began to pay. */
interface Begun {
  subject: Subject
  id: number
  paid: boolean
  invoices: number
  applied: number
}

export interface Counted {
  /** Wrong in any case. */
  wrong: string[]
  /** Taken, and not applied yet: killed between gateway and commit. */
  cut: number
  applied: number
}

/** `settled`: the orders of which everything must be over. */
export async function count(env: Record<string, string>, taken: Taken, settled: readonly Paying[]): Promise<Counted> {
  const config = readConfig({ ...env, TOKEN_KEY: '00'.repeat(32) })
  const database = await openDatabase(config, pino({ level: 'silent' }))
  try {
    // Of one moment: what the killed server had sent off is still being carried out by the database.
    return await database.kysely
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (db) => {
        await sql`set local role portal_system`.execute(db)
        return await compare(db, taken, settled)
      })
  } finally {
    await database.close()
  }
}

async function compare(db: Handle, taken: Taken, settled: readonly Paying[]): Promise<Counted> {
  const { rows: orders } = await sql<Row>`
    select o.id, o.stored, o.deleted, o.pay_amount::text,
      (select count(*)::integer from contract c where c.order_id = o.id) as contracts,
      (select count(*)::integer from invoice i where i.order_id = o.id) as invoices,
      (select count(*)::integer from payment p where p.order_id = o.id and p.outcome = 'applied') as applied
    from service_order o order by o.id`.execute(db)
  const { rows: others } = await sql<Begun>`
    select one.*,
      (select count(*)::integer from invoice i
        where i.backup_order_id = one.backup_order_id or i.traffic_id = one.traffic_id) as invoices,
      (select count(*)::integer from payment p
        where (p.backup_order_id = one.backup_order_id or p.traffic_id = one.traffic_id) and p.outcome = 'applied') as applied
    from (
      select 'PDBORDER' as subject, id, id as backup_order_id, null::integer as traffic_id, status = 1 as paid from backup_order
      union all
      select 'TRAFFIC', id, null, id, pay_date is not null from traffic) one
    where exists (select from payment_attempt a
      where a.backup_order_id = one.backup_order_id or a.traffic_id = one.traffic_id)`.execute(db)
  const attempts = await db.selectFrom('payment_attempt').selectAll().orderBy('id').execute()
  const payments = await db.selectFrom('payment').selectAll().where('gateway', '<>', 'simulate').execute()
  const { rows: unaccounted } = await sql<{ reference: string }>`
    select p.reference from payment p left join payment_task t on t.payment_id = p.id
    where (p.outcome = 'applied') <> (t.id is null)`.execute(db)
  const { rows: numbers } = await sql<{ code: string }>`select code from invoice order by code`.execute(db)
  const known = new Map(attempts.map((one) => [one.key, one]))
  const keys = new Map(attempts.map(({ state, gateway_id, key }) => [state === 'paid' ? gateway_id : null, key]))
  const wrong = [...torn(orders), ...tornOthers(others), ...gaps(numbers)]
  for (const { reference } of unaccounted) wrong.push(`${reference} is neither on what it was paid for nor a task`)
  for (const { reference, amount } of payments)
    if (taken.get(keys.get(reference) ?? '') !== hundredths(amount))
      wrong.push(`${reference} was written down and the gateway says otherwise`)
  let cut = 0
  for (const [key, amount] of taken) {
    const attempt = known.get(key)
    if (!attempt) wrong.push(`money was taken for ${key}, of which nothing was written down before`)
    else if (hundredths(attempt.amount) !== amount) wrong.push(`${key} took ${amount}, and ${attempt.amount} was due`)
    if (attempt && attempt.state !== 'paid') cut += 1
  }
  for (const paying of settled) {
    const isOf = (one: Record<(typeof columns)[keyof typeof columns], number | null>) =>
      one[columns[paying.subject]] === paying.id
    const order = paying.subject === 'CONTRACT' ? orders.find(({ id }) => id === paying.id) : undefined
    const other = others.find(({ subject, id }) => subject === paying.subject && id === paying.id)
    const stored = order?.stored ?? (other?.paid ? 'paid' : 'unpaid')
    const got = attempts.filter(isOf).filter(({ key }) => taken.has(key))
    const wrote = payments.filter(isOf)
    const isPaid = stored === 'paid'
    const name = `${paying.subject} ${paying.id} (${paying.plan}, round ${paying.round})`
    if (got.length > 1) wrong.push(`${name} was paid ${got.length} times`)
    if (wrote.length !== got.length) wrong.push(`${name}: ${got.length} taken, ${wrote.length} written down`)
    if (got.length > 0 && !isPaid && !order?.deleted) wrong.push(`${name}: money was taken, and it is ${stored}`)
    if (isPaid && got.length === 0) wrong.push(`${name} is paid with no money`)
    if (paying.told === 'paid' && !isPaid) wrong.push(`${name}: its payer was told that it is paid`)
    if (paying.told === 'gone' && !order?.deleted) wrong.push(`${name} was deleted and is there`)
    if (paying.plan !== 'left' && paying.plan !== 'deleted' && !isPaid) wrong.push(`${name} is not paid`)
  }
  return { wrong, cut, applied: payments.filter(({ outcome }) => outcome === 'applied').length }
}

const columns = { CONTRACT: 'order_id', PDBORDER: 'backup_order_id', TRAFFIC: 'traffic_id' } as const

/** Paid with all that belongs to it, once, or not at all. */
const torn = (orders: readonly Row[]): string[] =>
  orders.flatMap(({ id, stored, contracts, invoices, applied }) => {
    const whole = stored === 'paid' || stored === 'overwritten' ? 1 : 0
    return contracts === whole && invoices === whole && applied === whole
      ? []
      : [`order ${id} is ${stored} with ${contracts} contracts, ${invoices} invoices and ${applied} payments`]
  })

const tornOthers = (others: readonly Begun[]): string[] =>
  others.flatMap(({ subject, id, paid, invoices, applied }) => {
    const whole = paid ? 1 : 0
    return invoices === whole && applied === whole
      ? []
      : [`${subject} ${id} is ${paid ? '' : 'not '}paid with ${invoices} invoices and ${applied} payments`]
  })

/** D90: by year, from 1 on, none left out. */
function gaps(numbers: readonly { code: string }[]): string[] {
  const byYear = Map.groupBy(numbers, ({ code }) => code.slice(1, 5))
  return [...byYear].flatMap(([year, all]) => {
    const found = all.map(({ code }) => Number(code.slice(7))).toSorted((a, b) => a - b)
    return found.every((one, at) => one === at + 1) ? [] : [`the invoices of ${year} have gaps: ${found.join(' ')}`]
  })
}

const hundredths = (amount: string) => Number(readAmount(amount))
