/**
 * Months of traffic by chance, against a ledger that is kept beside: bytes, clocks that jump, days without a server, subscriptions that
 * end and begin anew at other prices, payments. No month is billed twice and none left out; every byte is in one record or open (D22).
 */
import { describe, expect, test } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { closeTraffic } from '#server/use-cases/hosting/traffic/close-months.ts'
import { applyPayment } from '#server/use-cases/payments/apply-payment.ts'
import { dayOf, daysAfter, instantIn, monthsAfter } from '#tests/domain/fees/calendar.ts'
import { oracleOf } from '#tests/domain/fees/oracle.ts'
import { move, serviceIdOf } from '#tests/support/hosting/backups.ts'
import { between, type Chance, chanceOf, pick, suiteSeed } from '#tests/support/runner/chance.ts'
import { byDay } from '#tests/support/runner/nightly.ts'
import { began, bought, setUpShop } from '#tests/support/orders/shop-data.ts'

interface Sold {
  start: string
  end: string
  free: number
  price: string
}

interface Billed {
  month: string
  bytes: number
  free: number
  price: string
  amount: string
  madeOn: string
  isPaid: boolean
}

const firstOfNext = (month: string) => monthsAfter(`${month}-01`, 1)
const next = (month: string) => firstOfNext(month).slice(0, 7)

/** What ought to be, kept by hand. */
class Ledger {
  readonly sold: Sold[] = []
  readonly moved = new Map<string, number>()
  readonly billed: Billed[] = []
  closed: string | null = null

  moves(day: string, bytes: number): void {
    const now = day.slice(0, 7)
    const month = this.closed !== null && now <= this.closed ? next(this.closed) : now
    this.moved.set(month, (this.moved.get(month) ?? 0) + bytes)
  }

  looks(day: string): void {
    const first = [...this.sold.map(({ start }) => start.slice(0, 7)), ...this.moved.keys()].toSorted()[0]
    const from = this.closed === null ? first : next(this.closed)
    if (from === undefined || this.sold.length === 0) return
    for (let month = from; month < day.slice(0, 7); month = next(month)) {
      this.closed = month
      const bytes = this.moved.get(month) ?? 0
      const isCovered = this.sold.some(({ start, end }) => start < firstOfNext(month) && end > `${month}-01`)
      if (!isCovered && bytes === 0) continue
      const begun = this.sold.filter(({ start }) => start < firstOfNext(month))
      const { free, price } = (begun.at(-1) ?? this.sold[0]) as Sold
      const gb = (Math.round(bytes / 1e7) / 100).toFixed(2)
      const [answer] = oracleOf({ kind: 'traffic', measured: gb, free, price }).answers
      const { amount } = answer as { amount: string }
      this.billed.push({ month, bytes, free, price, amount, madeOn: day, isPaid: false })
    }
  }
}

describe('months of traffic in the course of a service’s life', () => {
  const the = setUpShop('embedded')

  async function live(chance: Chance): Promise<void> {
    const { server } = the
    const { app, clock } = server
    const asSystem = <T>(work: Parameters<typeof inTransaction<T>>[2]) =>
      inTransaction(app, { role: 'portal_system' }, work)
    const asBuyer = () => server.signIn('order@alpha')
    const ledger = new Ledger()
    const currency = pick(chance, ['HKD', 'USD', 'RMB'] as const)
    await bought(server, await asBuyer(), { currency, period: 9 })
    const serviceId = await serviceIdOf(server, 'shop')
    const rates = { free: 50, price: { HKD: '12.50', USD: '1.60', RMB: '11.25' }[currency] }
    let runs = 0
    let references = 0

    const pay = async (kind: 'backup' | 'traffic', id: number, amount: string) => {
      references += 1
      const payment = { gateway: 'test', reference: `h${references}`, amount, currency, paidAt: clock.now }
      const done = await asSystem((db) => applyPayment({ db, app, now: clock.now }, { kind, id }, payment))
      expect(done).toMatchObject({ outcome: 'applied' })
    }

    const acts = {
      async moves() {
        const bytes = pick(chance, [1, 5_000_000, between(chance, 1, 80) * 1_000_000_000, between(chance, 1, 9e10)])
        runs += 1
        await move(server, 'shop', bytes, `run-${runs}`)
        ledger.moves(dayOf(clock.now), bytes)
      },
      async days() {
        const days = pick(chance, [0, 1, 20, 31, 45, between(chance, -60, 150)])
        clock.now = Math.max(began, instantIn(daysAfter(dayOf(clock.now), days), pick(chance, [0, 86_399_999])))
      },
      async looks() {
        await closeTraffic(app)
        ledger.looks(dayOf(clock.now))
      },
      async subscribes() {
        const payload = {
          service_id: serviceId,
          pdb_type: 'pdb2s3',
          period: between(chance, 1, 7),
          period_type: 'month',
        }
        const answer = await (await asBuyer()).send({ method: 'POST', url: '/api/pdb/order', payload })
        expect(answer.statusCode).toBe(200)
        const { id } = answer.json()
        const row = await asSystem((db) =>
          db.selectFrom('backup_order').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
        )
        await pay('backup', id, row.pay_amount)
        ledger.sold.push({ start: row.period_start, end: row.period_end, ...rates })
        ledger.sold.sort((a, b) => (a.start < b.start ? -1 : 1))
      },
      async pays() {
        const [open] = await asSystem((db) =>
          db
            .selectFrom('traffic')
            .selectAll()
            .where('pay_date', 'is', null)
            .where('amount', '>', '0')
            .orderBy('period_end')
            .limit(1)
            .execute(),
        )
        if (!open) return
        await pay('traffic', open.id, open.amount)
        const own = ledger.billed.find(({ month }) => firstOfNext(month) === open.period_end)
        if (own) own.isPaid = true
      },
      /** Another list is in force from now on. */
      async prices() {
        rates.free = between(chance, 0, 60)
        rates.price = (between(chance, 0, 3000) / 100).toFixed(2)
        const own = currency.toLowerCase()
        const prices = { pdb2s3_traffic: rates.free.toFixed(2), [`pdb2s3_up_${own}`]: rates.price }
        await asSystem(async (db) => {
          const list = await db.selectFrom('price_list').selectAll().orderBy('id').limit(1).executeTakeFirstOrThrow()
          await db.updateTable('price_list').set({ deleted: true }).execute()
          const { id: _, content, ...rest } = list
          const other = { ...content, pdbPrice: { ...content.pdbPrice, ...prices } }
          await db
            .insertInto('price_list')
            .values({ ...rest, deleted: false, content: JSON.stringify(other) } as never)
            .execute()
        })
      },
    }
    const weights = [
      ...Array.from({ length: 5 }, () => 'moves' as const),
      ...Array.from({ length: 5 }, () => 'days' as const),
      ...Array.from({ length: 4 }, () => 'looks' as const),
      ...(['subscribes', 'pays', 'pays', 'prices'] as const),
    ]
    await acts.subscribes()
    for (let left = 30; left > 0; left--) await acts[pick(chance, weights)]()
    await acts.looks()

    const rows = await asSystem((db) =>
      db.selectFrom('traffic').selectAll().orderBy('period_end').orderBy('id').execute(),
    )
    const fixed = (count: number) => count.toFixed(2)
    expect(
      rows.map(({ period_end, pdb_traffic, free, price, amount, currency: of, pay_amount }) => ({
        period_end,
        pdb_traffic,
        free,
        price,
        amount,
        of,
        pay_amount,
      })),
    ).toEqual(
      ledger.billed.map(({ month, bytes, free, price, amount, isPaid }) => ({
        period_end: firstOfNext(month),
        pdb_traffic: fixed(Math.round(bytes / 1e7) / 100),
        free: fixed(free),
        price,
        amount,
        of: currency,
        pay_amount: isPaid ? amount : null,
      })),
    )
    const kept = await asSystem((db) => db.selectFrom('traffic_moved').select(['month', 'bytes']).execute())
    const inBook = [...ledger.moved.values()].reduce((sum, bytes) => sum + bytes, 0)
    expect(kept.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(inBook)
    const today = dayOf(clock.now)
    const service = await asSystem((db) =>
      db.selectFrom('service').selectAll().where('id', '=', serviceId).executeTakeFirstOrThrow(),
    )
    expect(service.closed_month).toBe(ledger.closed)
    const isOverdue = ledger.billed.some(
      ({ madeOn, isPaid, amount }) => !isPaid && amount !== '0.00' && daysAfter(madeOn, 7) < today,
    )
    // A clock that was put back does not lift what was suspended.
    if (isOverdue) expect(service.traffic_disabled).toBe(true)
    else if (ledger.billed.every(({ isPaid, amount }) => isPaid || amount === '0.00'))
      expect(service.traffic_disabled).toBe(false)
  }

  const lives = Array.from({ length: 30 }, (_, at) => suiteSeed + at)
  test.each(byDay(lives, 10))('are as in a ledger kept by hand (seed %i)', (seed) => live(chanceOf(seed)), 30_000)
})
