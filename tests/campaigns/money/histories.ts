/**
 * Some histories at once in one world: each has companies of its own and draws what they do by its own seed, all of them live through
 * the same kills, restarts and days. Money is counted between each end of the server and its next start, and once more at the end.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { addDays, addMonths, daysBetween } from '#domain/period.ts'
import type { Database } from '#server/db/handle.ts'
import type { Buyer } from '#tests/campaigns/money/buyer.ts'
import { checkMoney, type Fault } from '#tests/campaigns/money/check-money.ts'
import { drawOperation } from '#tests/campaigns/money/operations.ts'
import type { OperationResult } from '#tests/campaigns/money/order-operations.ts'
import { changeAndLeave, payEndedPage } from '#tests/campaigns/money/payment-operations.ts'
import { tamper } from '#tests/campaigns/money/tamper.ts'
import { buyerCode, type LiveContract, type MoneyWorld, readLiveContracts } from '#tests/campaigns/money/world.ts'
import { readGatewayBook } from '#tests/campaigns/gateway-book.ts'
import { lookAtEverything } from '#tests/campaigns/payments.ts'
import { writeUnpaidTraffic } from '#tests/campaigns/unpaid-traffic.ts'
import { between, type Chance, chanceOf, pick } from '#tests/support/runner/chance.ts'

/** What became of operations and of money, by name. */
export interface Tally {
  operations: Map<string, Record<OperationResult, number>>
  events: Map<string, number>
  /** Why operations took no effect. */
  refusals: Map<string, number>
}

export const newTally = (): Tally => ({ operations: new Map(), events: new Map(), refusals: new Map() })

const addTo = (counts: Map<string, number>, name: string, count = 1) =>
  counts.set(name, (counts.get(name) ?? 0) + count)

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const hongKongMs = 8 * 60 * minuteMs
const maxBuyers = 3
/** What a buyer does in a history: one operation after the other. */
const operationsOf = { least: 15, most: 30 }
/** The server ends so often while they do it. */
const endings = { least: 2, most: 4 }

interface Batch {
  world: MoneyWorld
  seeds: readonly number[]
  tally: Tally
  /** False: the server is ended in good order only. */
  hasKills: boolean
}

interface Run extends Batch {
  buyers: readonly Buyer[]
  /** Of kills and days. */
  chance: Chance
  /** In words, with the seed of the history. */
  faults: Set<string>
}

/** Returns what is wrong, by the seeds of the histories. */
export async function liveThrough(batch: Batch): Promise<string[]> {
  const { world, seeds, tally } = batch
  // Kills and days are everybody's: drawn by the first seed.
  const chance = chanceOf((seeds[0] ?? 0) + 500_000)
  const progress = countProgress()
  const buyers: Buyer[] = []
  const work: Promise<void>[] = []
  let planned = 0
  await world.start()
  for (const seed of seeds) {
    const drawn = chanceOf(seed)
    for (let at = between(drawn, 1, maxBuyers); at > 0; at--) {
      const buyer = newBuyer(batch, seed, buyerCode(buyers.length))
      const count = between(drawn, operationsOf.least, operationsOf.most)
      buyers.push(buyer)
      planned += count
      work.push(live(buyer, { seed: Math.floor(drawn() * 2 ** 31), count, tally, onBegin: progress.add }))
    }
  }
  const run: Run = { ...batch, buyers, chance, faults: new Set() }
  const all = Promise.all(work)
  // Its failure is met where it is awaited.
  all.catch(() => undefined)
  const ends = between(chance, endings.least, endings.most)
  for (let at = 1; at <= ends; at++) {
    await Promise.race([progress.reached(Math.floor((planned * (at - 0.2 + 0.4 * chance())) / (ends + 1))), all])
    await wait(between(chance, 0, 60))
    await end(run, anyTime(world))
  }
  await all
  // An order can be paid on a page until the contract ends, and the money may come a moment later (decision 62).
  await end(run, toLastDay(world))
  for (const buyer of buyers) await changeAndLeave(buyer, chance)
  await end(run, overMidnight(world))
  await settle(run)
  return [...run.faults]
}

const newBuyer = ({ world, tally }: Batch, seed: number, company: string): Buyer => ({
  seed,
  company,
  world,
  payables: [],
  claims: [],
  count: (name) => addTo(tally.events, name),
  lastRefusal: '',
  sessions: {},
})

function countProgress() {
  let begun = 0
  const waiting: { at: number; resolve: () => void }[] = []
  return {
    add() {
      begun += 1
      for (const { at, resolve } of waiting) if (at <= begun) resolve()
    },
    reached(at: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      if (at <= begun) resolve()
      waiting.push({ at, resolve })
      return promise
    },
  }
}

interface Life {
  seed: number
  count: number
  tally: Tally
  onBegin: () => void
}

/** What cannot be done as things stand is drawn anew, some times. */
const draws = 8

async function live(buyer: Buyer, { seed, count, tally, onBegin }: Life): Promise<void> {
  const chance = chanceOf(seed)
  for (let at = 0; at < count; at++) {
    onBegin()
    for (let draw = 0; draw < draws; draw++) {
      buyer.lastRefusal = 'at the gateway'
      const { name, operation } = drawOperation(chance)
      // What happens inside depends on answers: the next draw must not.
      const result = await operation(buyer, chanceOf(Math.floor(chance() * 2 ** 31))).catch((error: unknown) => {
        throw new Error(`seed ${buyer.seed}, ${buyer.company}, "${name}": ${String(error)}`, { cause: error })
      })
      const counts = tally.operations.get(name) ?? { done: 0, refused: 0, unanswered: 0, skipped: 0 }
      counts[result] += 1
      tally.operations.set(name, counts)
      if (result === 'refused' || result === 'unanswered') addTo(tally.refusals, `${name}: ${buyer.lastRefusal}`)
      if (result !== 'skipped') break
    }
  }
}

/** The server ends, money is counted, time passes, and it starts again. */
async function end(run: Run, draw: DrawTime): Promise<void> {
  const { world, tally, hasKills, chance } = run
  const isKill = chance() < 0.75 && hasKills
  await world.stop(isKill ? 'SIGKILL' : 'SIGTERM')
  for (const error of world.takeErrors()) addTo(tally.events, `logged: ${error}`)
  addTo(tally.events, isKill ? 'kills' : 'ends in good order')
  const contracts = await world.inspect(async (database) => {
    const { underWay } = await count(run, database)
    if (isKill) addTo(tally.events, 'payments and refunds cut off by a kill', underWay.length)
    const live = await readLiveContracts(database, world.today())
    await bill(run, database, live)
    return live
  })
  const ms = draw(chance, contracts)
  if (ms >= 8 * dayMs) addTo(tally.events, 'more than a week passed')
  world.moveClock(ms)
  await world.start()
  for (const buyer of run.buyers) await payEndedPage(buyer, chance)
}

/** Waits until everything has had its time, and counts for the last time. */
async function settle(run: Run): Promise<void> {
  const { world, tally, chance, buyers, seeds } = run
  Object.assign(world.sandbox.moods, { loseAnswers: 0, fail: 0 })
  world.sandbox.calls.release()
  await world.stop('SIGTERM')
  // Longer than a request of a killed server may be on its way (use-cases/payments/settle-attempt.ts); mostly longer than all can be paid.
  world.moveClock(pick(chance, [3 * minuteMs, 26 * 60 * minuteMs, 9 * dayMs]))
  await world.start()
  await lookAtEverything(world.url)
  const late = world.sandbox.calls.list().slice(-10)
  await Promise.all(late.map(({ id }) => world.sandbox.calls.send(id)))
  await lookAtEverything(world.url)
  await world.stop('SIGTERM')
  for (const error of world.takeErrors()) addTo(tally.events, `logged: ${error}`)
  const { outcomes, underWay } = await world.inspect(async (database) => {
    const counted = await count(run, database)
    const book = await readGatewayBook(world.sandbox)
    for (const [name, isNoticed] of await tamper(database, book, claimsOf(buyers))) {
      addTo(tally.events, `noticed: ${name}`)
      if (!isNoticed) run.faults.add(`seeds ${seeds.join(', ')}: the check does not notice ${name}`)
    }
    return counted
  })
  for (const [outcome, times] of Object.entries(outcomes)) addTo(tally.events, `payments: ${outcome}`, times)
  for (const text of underWay) run.faults.add(text)
}

const claimsOf = (buyers: readonly Buyer[]) => buyers.flatMap(({ claims }) => claims)

interface Counted {
  underWay: string[]
  outcomes: Record<string, number>
}

/** Notes what is wrong, once each. */
async function count({ world, buyers, seeds, faults }: Run, database: Database): Promise<Counted> {
  const report = await checkMoney(database, {
    readBook: () => readGatewayBook(world.sandbox),
    claims: claimsOf(buyers),
  })
  const rows = await database.kysely
    .transaction()
    .execute((db) => db.selectFrom('company').select(['id', 'code']).execute())
  const codes = new Map(rows.map(({ id, code }) => [id, code]))
  const toText = ({ companyId, text }: Fault) => {
    const buyer = buyers.find(({ company }) => company === codes.get(companyId))
    return buyer ? `seed ${buyer.seed}, ${buyer.company}: ${text}` : `seeds ${seeds.join(', ')}: ${text}`
  }
  for (const fault of report.faults) faults.add(toText(fault))
  return { underWay: report.underWay.map(toText), outcomes: report.outcomes }
}

/** A month's traffic of some services, long ago, at amounts drawn by chance. */
async function bill({ buyers, chance }: Run, database: Database, contracts: readonly LiveContract[]): Promise<void> {
  for (const { company, code, currency } of contracts.filter(() => chance() < 0.25)) {
    const buyer = buyers.find((one) => one.company === company)
    if (!buyer) continue
    const before = buyer.payables.filter((one) => one.type === 'traffic' && one.code === code).length
    const amount = `${between(chance, 1, 900)}.${between(chance, 10, 99)}`
    const first = addMonths('1990-01-01', before)
    const [id = 0] = await writeUnpaidTraffic({ database }, 1, { code, currency, first, amount })
    const none = { due: null, end: null, users: 0, modules: [], undoable: null, pages: [] }
    buyer.payables.push({ contractType: 'TRAFFIC', type: 'traffic', state: 'unpaid', id, code, currency, ...none })
    buyer.count('months of traffic')
  }
}

/** How long nothing is done, ms. */
type DrawTime = (chance: Chance, contracts: readonly LiveContract[]) => number

/** To the last day of the contract that ends first. */
const toLastDay =
  ({ today }: MoneyWorld): DrawTime =>
  (_chance, contracts) => {
    const [nearest] = contracts.map(({ end: last }) => last).toSorted()
    return nearest === undefined ? 0 : Math.max(0, daysBetween(today(), nearest) - 1) * dayMs
  }

/** To the first minutes of the next business day: what was signed in the last 24 hours is still good. */
const overMidnight =
  ({ clock }: MoneyWorld): DrawTime =>
  (chance) =>
    dayMs - ((clock() + hongKongMs) % dayMs) + between(chance, 1, 5) * 1000

/** Mostly minutes or a day; more than all can be paid in; to shortly before the end of a contract, and over it. */
const anyTime =
  ({ today }: MoneyWorld): DrawTime =>
  (chance, contracts) => {
    const drawn = chance()
    if (drawn < 0.35) return between(chance, 0, 90) * minuteMs
    if (drawn < 0.5) return between(chance, 1, 6) * dayMs
    if (drawn < 0.7) return between(chance, 8, 40) * dayMs
    const nearest = contracts.map(({ end: last }) => last).toSorted()[0]
    if (nearest === undefined) return dayMs
    // Whoever is near it goes over it next.
    const isNear = daysBetween(today(), nearest) < 8
    const to = addDays(nearest, isNear || chance() < 0.3 ? between(chance, 0, 4) : -between(chance, 2, 5))
    return Math.max(0, daysBetween(today(), to)) * dayMs
  }
