/**
 * Compares random traffic with a simple ledger: bytes, clock jumps, days without a server, payments, and subscriptions that end and restart
 * at other prices. No month is billed twice or left out, and each byte is in one record or still open (D22).
 */
import { describe, expect, test } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { closeTraffic } from '#server/use-cases/hosting/traffic/close-months.ts'
import { applyPayment } from '#server/use-cases/payments/apply-payment.ts'
import { toBusinessDay, addDays, toInstant, monthsAfter } from '#tests/domain/fees/calendar.ts'
import { runOracle } from '#tests/domain/fees/oracle.ts'
import { recordTraffic, readServiceId } from '#tests/support/hosting/backups.ts'
import { drawBetween, type Random, createRandom, pick, suiteSeed } from '#tests/support/runner/random.ts'
import { limitByDay } from '#tests/support/runner/nightly.ts'
import { shopOpenedAt, buyOrder, setUpShop } from '#tests/support/orders/shop-data.ts'

interface SoldPeriod {
  start: string
  end: string
  free: number
  price: string
}

interface BilledMonth {
  month: string
  bytes: number
  free: number
  price: string
  amount: string
  billedOn: string
  isPaid: boolean
}

const getFirstDayAfter = (month: string) => monthsAfter(`${month}-01`, 1)
const getNextMonth = (month: string) => getFirstDayAfter(month).slice(0, 7)

class TrafficModel {
  readonly soldPeriods: SoldPeriod[] = []
  readonly bytesByMonth = new Map<string, number>()
  readonly billedMonths: BilledMonth[] = []
  closedMonth: string | null = null

  recordBytes(day: string, bytes: number): void {
    const currentMonth = day.slice(0, 7)
    const month =
      this.closedMonth !== null && currentMonth <= this.closedMonth ? getNextMonth(this.closedMonth) : currentMonth
    this.bytesByMonth.set(month, (this.bytesByMonth.get(month) ?? 0) + bytes)
  }

  closeMonths(day: string): void {
    const firstMonth = [
      ...this.soldPeriods.map(({ start }) => start.slice(0, 7)),
      ...this.bytesByMonth.keys(),
    ].toSorted()[0]
    const from = this.closedMonth === null ? firstMonth : getNextMonth(this.closedMonth)
    if (from === undefined || this.soldPeriods.length === 0) return
    for (let month = from; month < day.slice(0, 7); month = getNextMonth(month)) {
      this.closedMonth = month
      const bytes = this.bytesByMonth.get(month) ?? 0
      const isCovered = this.soldPeriods.some(
        ({ start, end }) => start < getFirstDayAfter(month) && end > `${month}-01`,
      )
      if (!isCovered && bytes === 0) continue
      const startedPeriods = this.soldPeriods.filter(({ start }) => start < getFirstDayAfter(month))
      const { free, price } = (startedPeriods.at(-1) ?? this.soldPeriods[0]) as SoldPeriod
      const gb = (Math.round(bytes / 1e7) / 100).toFixed(2)
      const [oracleResult] = runOracle({ kind: 'traffic', measured: gb, free, price }).results
      const { amount } = oracleResult as { amount: string }
      this.billedMonths.push({ month, bytes, free, price, amount, billedOn: day, isPaid: false })
    }
  }
}

describe('the traffic months of a service over a random history', () => {
  const fixture = setUpShop('embedded')

  async function runHistory(random: Random): Promise<void> {
    const { server } = fixture
    const { app, clock } = server
    const runAsSystem = <T>(work: Parameters<typeof runInTransaction<T>>[2]) =>
      runInTransaction(app, { role: 'portal_system' }, work)
    const signInBuyer = () => server.signIn('order@alpha')
    const model = new TrafficModel()
    const currency = pick(random, ['HKD', 'USD', 'RMB'] as const)
    await buyOrder(server, await signInBuyer(), { currency, period: 9 })
    const serviceId = await readServiceId(server, 'shop')
    const rates = { free: 50, price: { HKD: '12.50', USD: '1.60', RMB: '11.25' }[currency] }
    let runCount = 0
    let referenceCount = 0

    const pay = async (kind: 'backup' | 'traffic', id: number, amount: string) => {
      referenceCount += 1
      const payment = { gateway: 'test', reference: `h${referenceCount}`, amount, currency, paidAt: clock.now }
      const result = await runAsSystem((db) => applyPayment({ db, app, now: clock.now }, { kind, id }, payment))
      expect(result).toMatchObject({ outcome: 'applied' })
    }

    const actions = {
      async moves() {
        const bytes = pick(random, [
          1,
          5_000_000,
          drawBetween(random, 1, 80) * 1_000_000_000,
          drawBetween(random, 1, 9e10),
        ])
        runCount += 1
        await recordTraffic(server, 'shop', bytes, `run-${runCount}`)
        model.recordBytes(toBusinessDay(clock.now), bytes)
      },
      async days() {
        const days = pick(random, [0, 1, 20, 31, 45, drawBetween(random, -60, 150)])
        clock.now = Math.max(
          shopOpenedAt,
          toInstant(addDays(toBusinessDay(clock.now), days), pick(random, [0, 86_399_999])),
        )
      },
      async looks() {
        await closeTraffic(app)
        model.closeMonths(toBusinessDay(clock.now))
      },
      async subscribes() {
        const payload = {
          service_id: serviceId,
          pdb_type: 'pdb2s3',
          period: drawBetween(random, 1, 7),
          period_type: 'month',
        }
        const response = await (await signInBuyer()).send({ method: 'POST', url: '/api/pdb/order', payload })
        expect(response.statusCode).toBe(200)
        const { id } = response.json()
        const row = await runAsSystem((db) =>
          db.selectFrom('backup_order').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
        )
        await pay('backup', id, row.pay_amount)
        model.soldPeriods.push({ start: row.period_start, end: row.period_end, ...rates })
        model.soldPeriods.sort((a, b) => (a.start < b.start ? -1 : 1))
      },
      async pays() {
        const [openTraffic] = await runAsSystem((db) =>
          db
            .selectFrom('traffic')
            .selectAll()
            .where('pay_date', 'is', null)
            .where('amount', '>', '0')
            .orderBy('period_end')
            .limit(1)
            .execute(),
        )
        if (!openTraffic) return
        await pay('traffic', openTraffic.id, openTraffic.amount)
        const billedMonth = model.billedMonths.find(({ month }) => getFirstDayAfter(month) === openTraffic.period_end)
        if (billedMonth) billedMonth.isPaid = true
      },
      async prices() {
        rates.free = drawBetween(random, 0, 60)
        rates.price = (drawBetween(random, 0, 3000) / 100).toFixed(2)
        const currencyKey = currency.toLowerCase()
        const prices = { pdb2s3_traffic: rates.free.toFixed(2), [`pdb2s3_up_${currencyKey}`]: rates.price }
        await runAsSystem(async (db) => {
          const list = await db.selectFrom('price_list').selectAll().orderBy('id').limit(1).executeTakeFirstOrThrow()
          await db.updateTable('price_list').set({ deleted: true }).execute()
          const { id: _, content, ...rest } = list
          const newContent = { ...content, pdbPrice: { ...content.pdbPrice, ...prices } }
          await db
            .insertInto('price_list')
            .values({ ...rest, deleted: false, content: JSON.stringify(newContent) } as never)
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
    await actions.subscribes()
    for (let remaining = 30; remaining > 0; remaining--) await actions[pick(random, weights)]()
    await actions.looks()

    const rows = await runAsSystem((db) =>
      db.selectFrom('traffic').selectAll().orderBy('period_end').orderBy('id').execute(),
    )
    const formatFixed = (count: number) => count.toFixed(2)
    expect(
      rows.map(({ period_end, pdb_traffic, free, price, amount, currency: billedCurrency, pay_amount }) => ({
        period_end,
        pdb_traffic,
        free,
        price,
        amount,
        billedCurrency,
        pay_amount,
      })),
    ).toEqual(
      model.billedMonths.map(({ month, bytes, free, price, amount, isPaid }) => ({
        period_end: getFirstDayAfter(month),
        pdb_traffic: formatFixed(Math.round(bytes / 1e7) / 100),
        free: formatFixed(free),
        price,
        amount,
        billedCurrency: currency,
        pay_amount: isPaid ? amount : null,
      })),
    )
    const storedRows = await runAsSystem((db) => db.selectFrom('traffic_moved').select(['month', 'bytes']).execute())
    const expectedBytes = [...model.bytesByMonth.values()].reduce((sum, bytes) => sum + bytes, 0)
    expect(storedRows.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(expectedBytes)
    const today = toBusinessDay(clock.now)
    const service = await runAsSystem((db) =>
      db.selectFrom('service').selectAll().where('id', '=', serviceId).executeTakeFirstOrThrow(),
    )
    expect(service.closed_month).toBe(model.closedMonth)
    const isOverdue = model.billedMonths.some(
      ({ billedOn, isPaid, amount }) => !isPaid && amount !== '0.00' && addDays(billedOn, 7) < today,
    )
    // A clock that was set back does not end a suspension.
    if (isOverdue) expect(service.traffic_disabled).toBe(true)
    else if (model.billedMonths.every(({ isPaid, amount }) => isPaid || amount === '0.00'))
      expect(service.traffic_disabled).toBe(false)
  }

  const seeds = Array.from({ length: 30 }, (_, index) => suiteSeed + index)
  test.each(limitByDay(seeds, 10))(
    'match a simple reference ledger (seed %i)',
    (seed) => runHistory(createRandom(seed)),
    30_000,
  )
})
