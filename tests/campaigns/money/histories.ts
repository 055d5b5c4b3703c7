/**
 * Runs several histories at once in one portal. Each has its own companies and draws its operations from its own seed; all share the same
 * kills, restarts and moves of the clock. The money is checked between each stop of the server and its next start, and at the end.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { addDays, addMonths, countDaysBetween } from '#domain/plain-dates.ts'
import type { Database } from '#server/db/database.ts'
import { createLimiter, type Limiter } from '#server/drivers/hosting/docker/engine/limiter.ts'
import type { Buyer, BuyerSession } from '#tests/campaigns/money/buyer.ts'
import { checkMoney, type MoneyFault } from '#tests/campaigns/money/check-money.ts'
import { drawOperation } from '#tests/campaigns/money/operations.ts'
import type { BuyerOperationResult } from '#tests/campaigns/money/order-operations.ts'
import { changeAndLeave, payEndedPage } from '#tests/campaigns/money/payment-operations.ts'
import { readInvoices } from '#tests/campaigns/money/refund-operations.ts'
import { tamperWith } from '#tests/campaigns/money/tamper.ts'
import { buildBuyerCode, type LiveContract, type MoneyWorld, readLiveContracts } from '#tests/campaigns/money/world.ts'
import { readGatewayBook } from '#tests/campaigns/gateway-book.ts'
import { reconcilePayments } from '#tests/campaigns/payments.ts'
import { writeUnpaidTraffic } from '#tests/campaigns/unpaid-traffic.ts'
import { drawBetween, type Random, createRandom, pick } from '#tests/support/runner/random.ts'

export interface MoneyTally {
  operations: Map<string, Record<BuyerOperationResult, number>>
  events: Map<string, number>
  refusals: Map<string, number>
}

export const createTally = (): MoneyTally => ({ operations: new Map(), events: new Map(), refusals: new Map() })

const addCount = (counts: Map<string, number>, name: string, count = 1) =>
  counts.set(name, (counts.get(name) ?? 0) + count)

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const hongKongMs = 8 * 60 * minuteMs
const endingCounts = { min: 2, max: 4 }

export interface HistorySize {
  maxBuyers: number
  operations: { min: number; max: number }
  /** Maximum number of operations at the same time. */
  concurrency: number
}

interface HistoryBatch {
  world: MoneyWorld
  historySeeds: readonly number[]
  tally: MoneyTally
  size: HistorySize
  /** If false, the server is only stopped cleanly. */
  hasKills: boolean
  /** Whether the check must find errors that are made on purpose at the end. */
  isTampered: boolean
}

interface HistoryRun extends HistoryBatch {
  buyers: readonly Buyer[]
  /** Random numbers for kills and moves of the clock. */
  random: Random
  /** Faults as text, with the seed of the history. */
  faults: Set<string>
}

export async function runBatch(batch: HistoryBatch): Promise<string[]> {
  const { world, historySeeds, tally, size } = batch
  // Kills and the clock are shared by all histories, so they are drawn from the first seed.
  const random = createRandom((historySeeds[0] ?? 0) + 500_000)
  const progress = countProgress()
  const buyers: Buyer[] = []
  const work: Promise<void>[] = []
  const turns = createLimiter(size.concurrency, Number.POSITIVE_INFINITY, refuse)
  const staff: BuyerSession = { accessToken: '' }
  let plannedCount = 0
  await world.start()
  for (const seed of historySeeds) {
    const seededRandom = createRandom(seed)
    for (let remaining = drawBetween(seededRandom, 1, size.maxBuyers); remaining > 0; remaining--) {
      const buyer = createBuyer(batch, { seed, company: buildBuyerCode(buyers.length), staff })
      const operationCount = drawBetween(seededRandom, size.operations.min, size.operations.max)
      buyers.push(buyer)
      plannedCount += operationCount
      const buyerSeed = Math.floor(seededRandom() * 2 ** 31)
      work.push(runBuyer(buyer, { seed: buyerSeed, operationCount, tally, turns, onBegin: progress.countStarted }))
    }
  }
  const run: HistoryRun = { ...batch, buyers, random, faults: new Set() }
  const allWork = Promise.all(work)
  // Avoids an unhandled rejection. The failure is thrown where the promise is awaited.
  allWork.catch(() => undefined)
  const endCount = drawBetween(random, endingCounts.min, endingCounts.max)
  for (let endingIndex = 1; endingIndex <= endCount; endingIndex++) {
    await Promise.race([
      progress.waitFor(Math.floor((plannedCount * (endingIndex - 0.2 + 0.4 * random())) / (endCount + 1))),
      allWork,
    ])
    await wait(drawBetween(random, 0, 60))
    await endRun(run, drawAnyTime(world))
  }
  await allWork
  // An order can be paid on a page until the contract ends, and the notice may arrive a moment later (decision 62).
  await endRun(run, drawLastDay(world))
  for (const buyer of buyers) await changeAndLeave(buyer, random)
  await endRun(run, drawMidnight(world))
  await settleRun(run)
  return [...run.faults]
}

const refuse = (): never => {
  throw new Error('operations wait without a limit')
}

const createBuyer = (
  { world, tally }: HistoryBatch,
  { seed, company, staff }: { seed: number; company: string; staff: BuyerSession },
): Buyer => ({
  seed,
  company,
  world,
  payables: [],
  claims: [],
  invoices: [],
  disputes: [],
  countEvent: (name) => addCount(tally.events, name),
  lastRefusal: '',
  sessions: { admin: { accessToken: '' }, staff },
})

function countProgress() {
  let startedCount = 0
  const waiting: { target: number; resolve: () => void }[] = []
  return {
    countStarted() {
      startedCount += 1
      for (const { target, resolve } of waiting) if (target <= startedCount) resolve()
    },
    waitFor(target: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      if (target <= startedCount) resolve()
      waiting.push({ target, resolve })
      return promise
    },
  }
}

interface BuyerRun {
  seed: number
  operationCount: number
  tally: MoneyTally
  turns: Limiter
  onBegin: () => void
}

/** Maximum number of draws for one operation. An operation that is impossible in the current state is drawn again. */
const drawsPerOperation = 8

async function runBuyer(buyer: Buyer, { seed, operationCount, tally, turns, onBegin }: BuyerRun): Promise<void> {
  const random = createRandom(seed)
  for (let index = 0; index < operationCount; index++)
    await turns.run(async () => {
      onBegin()
      await runPossibleOperation(buyer, { random, tally })
    })
}

async function runPossibleOperation(
  buyer: Buyer,
  { random, tally }: { random: Random; tally: MoneyTally },
): Promise<void> {
  for (let drawIndex = 0; drawIndex < drawsPerOperation; drawIndex++) {
    buyer.lastRefusal = 'at the gateway'
    const { name, operation } = drawOperation(random)
    // Responses decide how many numbers an operation draws. Its own generator keeps the draws of later operations independent of them.
    const result = await operation(buyer, createRandom(Math.floor(random() * 2 ** 31))).catch((error: unknown) => {
      throw new Error(`seed ${buyer.seed}, ${buyer.company}, "${name}": ${String(error)}`, { cause: error })
    })
    const counts = tally.operations.get(name) ?? { done: 0, refused: 0, unanswered: 0, skipped: 0 }
    counts[result] += 1
    tally.operations.set(name, counts)
    if (result === 'refused' || result === 'unanswered') addCount(tally.refusals, `${name}: ${buyer.lastRefusal}`)
    if (result !== 'skipped') return
  }
}

/** Stops the server, checks the money, moves the clock and restarts the server. */
async function endRun(run: HistoryRun, drawTime: DrawTime): Promise<void> {
  const { world, tally, hasKills, random } = run
  const isKill = random() < 0.75 && hasKills
  await world.stop(isKill ? 'SIGKILL' : 'SIGTERM')
  for (const error of world.takeErrors()) addCount(tally.events, `logged: ${error}`)
  addCount(tally.events, isKill ? 'kills' : 'ends in good order')
  const contracts = await world.inspect(async (database) => {
    const { pendingFaults } = await countMoney(run, database)
    if (isKill) addCount(tally.events, 'payments and refunds cut off by a kill', pendingFaults.length)
    const liveContracts = await readLiveContracts(database, world.today())
    await billTraffic(run, database, liveContracts)
    const invoices = await readInvoices(database)
    for (const buyer of run.buyers) buyer.invoices = invoices.filter(({ company }) => company === buyer.company)
    return liveContracts
  })
  const ms = drawTime(random, contracts)
  if (ms >= 8 * dayMs) addCount(tally.events, 'more than a week passed')
  world.moveClock(ms)
  await world.start()
  for (const buyer of run.buyers) await payEndedPage(buyer, random)
}

/** Moves the clock until every pending payment must be settled, then checks the money for the last time. */
async function settleRun(run: HistoryRun): Promise<void> {
  const { world, tally, random, buyers, historySeeds, isTampered } = run
  Object.assign(world.sandbox.faults, { loseAnswers: 0, fail: 0 })
  world.sandbox.webhooks.release()
  await world.stop('SIGTERM')
  // The time is longer than a request of a killed server may take (use-cases/payments/settle-attempt.ts), and in most cases longer than any
  // payment deadline.
  world.moveClock(pick(random, [3 * minuteMs, 26 * 60 * minuteMs, 9 * dayMs]))
  await world.start()
  await reconcilePayments(world.url)
  const lateCalls = world.sandbox.webhooks.list().slice(-10)
  await Promise.all(lateCalls.map(({ id }) => world.sandbox.webhooks.send(id)))
  await reconcilePayments(world.url)
  // Only notices tell of refunds and disputes at the gateway, so the dropped ones are sent too. A real gateway repeats them for days.
  const refundCalls = world.sandbox.webhooks.list().filter(({ body }) => /refund|dispute/.test(body))
  for (const { id } of refundCalls) await world.sandbox.webhooks.send(id)
  await reconcilePayments(world.url)
  await world.stop('SIGTERM')
  for (const error of world.takeErrors()) addCount(tally.events, `logged: ${error}`)
  const { outcomes, pendingFaults } = await world.inspect(async (database) => {
    const moneyCount = await countMoney(run, database)
    const book = await readGatewayBook(world.sandbox)
    const tampered = isTampered ? await tamperWith(database, book, listClaims(buyers)) : []
    for (const [name, isNoticed] of tampered) {
      addCount(tally.events, `noticed: ${name}`)
      if (!isNoticed) run.faults.add(`seeds ${historySeeds.join(', ')}: the check does not notice ${name}`)
    }
    return moneyCount
  })
  for (const [outcome, eventCount] of Object.entries(outcomes))
    addCount(tally.events, `payments: ${outcome}`, eventCount)
  for (const text of pendingFaults) run.faults.add(text)
}

const listClaims = (buyers: readonly Buyer[]) => buyers.flatMap(({ claims }) => claims)

interface MoneyCount {
  pendingFaults: string[]
  outcomes: Record<string, number>
}

/** Checks the money and adds the faults found to the run, each one once. */
async function countMoney(
  { world, buyers, historySeeds, faults }: HistoryRun,
  database: Database,
): Promise<MoneyCount> {
  const report = await checkMoney(database, {
    readBook: () => readGatewayBook(world.sandbox),
    claims: listClaims(buyers),
  })
  const rows = await database.kysely
    .transaction()
    .execute((db) => db.selectFrom('company').select(['id', 'code']).execute())
  const codes = new Map(rows.map(({ id, code }) => [id, code]))
  const toText = ({ companyId, text }: MoneyFault) => {
    const buyer = buyers.find(({ company }) => company === codes.get(companyId))
    return buyer ? `seed ${buyer.seed}, ${buyer.company}: ${text}` : `seeds ${historySeeds.join(', ')}: ${text}`
  }
  for (const fault of report.faults) faults.add(toText(fault))
  return { pendingFaults: report.pendingFaults.map(toText), outcomes: report.outcomes }
}

/** Bills a past month's traffic of some services with random amounts. */
async function billTraffic(
  { buyers, random }: HistoryRun,
  database: Database,
  contracts: readonly LiveContract[],
): Promise<void> {
  for (const { company, code, currency } of contracts.filter(() => random() < 0.25)) {
    const buyer = buyers.find((candidate) => candidate.company === company)
    if (!buyer) continue
    const billedMonths = buyer.payables.filter((payable) => payable.type === 'traffic' && payable.code === code).length
    const amount = `${drawBetween(random, 1, 900)}.${drawBetween(random, 10, 99)}`
    const firstMonth = addMonths('1990-01-01', billedMonths)
    const [id = 0] = await writeUnpaidTraffic({ database }, 1, { code, currency, firstMonth, amount })
    const noOrderFields = { due: null, endRun: null, users: 0, modules: [], undoableContractId: null, paymentPages: [] }
    buyer.payables.push({
      contractType: 'TRAFFIC',
      type: 'traffic',
      state: 'unpaid',
      id,
      code,
      currency,
      ...noOrderFields,
    })
    buyer.countEvent('months of traffic')
  }
}

/** Returns by how many ms the clock is moved while the server is stopped. */
type DrawTime = (random: Random, contracts: readonly LiveContract[]) => number

/** Moves to the last day of the contract that ends first. */
const drawLastDay =
  ({ today }: MoneyWorld): DrawTime =>
  (_random, contracts) => {
    const [nearestEnd] = contracts.map(({ end: endDate }) => endDate).toSorted()
    return nearestEnd === undefined ? 0 : Math.max(0, countDaysBetween(today(), nearestEnd) - 1) * dayMs
  }

/** Moves to the first minutes of the next business day. Addresses signed in the last 24 hours are still valid. */
const drawMidnight =
  ({ clock }: MoneyWorld): DrawTime =>
  (random) =>
    dayMs - ((clock() + hongKongMs) % dayMs) + drawBetween(random, 1, 5) * 1000

/**
 * Usually moves the clock by minutes or days. Sometimes moves it beyond every payment deadline, to shortly before the end of a contract, or
 * beyond that end.
 */
const drawAnyTime =
  ({ today }: MoneyWorld): DrawTime =>
  (random, contracts) => {
    const roll = random()
    if (roll < 0.35) return drawBetween(random, 0, 90) * minuteMs
    if (roll < 0.5) return drawBetween(random, 1, 6) * dayMs
    if (roll < 0.7) return drawBetween(random, 8, 40) * dayMs
    const nearestEnd = contracts.map(({ end: endDate }) => endDate).toSorted()[0]
    if (nearestEnd === undefined) return dayMs
    // If the contract's end is near, the clock is moved beyond it.
    const isNear = countDaysBetween(today(), nearestEnd) < 8
    const targetDay = addDays(
      nearestEnd,
      isNear || random() < 0.3 ? drawBetween(random, 0, 4) : -drawBetween(random, 2, 5),
    )
    return Math.max(0, countDaysBetween(today(), targetDay)) * dayMs
  }
