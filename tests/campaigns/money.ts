/**
 * Runs random histories of orders, changes, payments, deletions, late and repeated notices and kills, on both engines. Every amount must be
 * applied to an order, refunded, or have a staff task. Ten histories at a time share one portal.
 *
 * npm run campaign -- money [histories] [seed|any] [embedded|postgres|both] [kills|quick]
 *
 * With `quick`, 90 shorter histories share one portal in this process, which is not killed and sends no mail.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type HistorySize, runBatch, createTally, type MoneyTally } from '#tests/campaigns/money/histories.ts'
import { operations } from '#tests/campaigns/money/operations.ts'
import { reportTotals } from '#tests/campaigns/nightly/totals.ts'
import { tamperings } from '#tests/campaigns/money/tamper.ts'
import { prepareTemplate } from '#tests/campaigns/money/world.ts'
import { openWorldInProcess } from '#tests/campaigns/money/world-in-process.ts'
import { postgresBin, startCluster } from '#tests/support/server/postgres.ts'

type MoneyEngine = 'embedded' | 'postgres'

interface MoneyMode {
  historiesPerWorld: number
  size: HistorySize
  /** The check is tested with errors that are made on purpose, in every so many portals. */
  tamperedEvery: number
  /** Number of histories from which on each operation must have taken effect at least once. */
  enoughHistories: number
}

const modes = {
  kills: {
    historiesPerWorld: 10,
    size: { maxBuyers: 3, operations: { min: 15, max: 30 }, concurrency: 30 },
    tamperedEvery: 1,
    enoughHistories: 100,
  },
  quick: {
    historiesPerWorld: 90,
    size: { maxBuyers: 1, operations: { min: 8, max: 16 }, concurrency: 6 },
    // Odd, because every second portal has another setting.
    tamperedEvery: 9,
    enoughHistories: 10_000,
  },
} satisfies Record<string, MoneyMode>

export interface MoneyCampaign {
  engine: MoneyEngine
  count: number
  /** Seed of the first history. Each further history has the next number. */
  seed: number
  tally: MoneyTally
  mode: keyof typeof modes
  log?: (line: string) => void
}

export async function runHistories({
  engine,
  count,
  seed,
  tally,
  mode,
  log = () => undefined,
}: MoneyCampaign): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), `portal-money-${engine}-`))
  const bin = engine === 'postgres' ? postgresBin() : null
  if (engine === 'postgres' && bin === null)
    throw new Error('PostgreSQL is not installed: half of the campaign cannot run')
  const cluster = bin === null ? null : await startCluster(bin)
  const allFaults: string[] = []
  try {
    const hasKills = mode === 'kills'
    const { historiesPerWorld, size, tamperedEvery } = modes[mode]
    const template = await prepareTemplate(folder, cluster?.url ?? null, hasKills ? undefined : openWorldInProcess)
    for (let firstSeed = seed; firstSeed < seed + count; firstSeed += historiesPerWorld) {
      const historySeeds = Array.from(
        { length: Math.min(historiesPerWorld, seed + count - firstSeed) },
        (_, index) => firstSeed + index,
      )
      const batch = Math.floor(firstSeed / historiesPerWorld)
      const isTampered = ((firstSeed - seed) / historiesPerWorld) % tamperedEvery === 0
      const faults = await template
        .open((world) => runBatch({ world, historySeeds, tally, size, hasKills, isTampered }), chooseSettings(batch))
        .catch((error: unknown) => [String(error)])
      for (const fault of faults) log(`WRONG ${fault}`)
      if (faults.length > 0)
        log(`      repeat: npm run campaign -- money ${historySeeds.length} ${firstSeed} ${engine} ${mode}`)
      allFaults.push(...faults)
      log(`${firstSeed + historySeeds.length - seed} of ${count} histories, ${allFaults.length} faults`)
    }
  } finally {
    await cluster?.stop()
    await rm(folder, { recursive: true, force: true })
  }
  return allFaults
}

/** Every second portal credits what smaller contracts do not use. A repeated batch has the same setting. */
const chooseSettings = (batch: number) => ({ CREDIT_SMALLER_CONTRACTS: String(batch % 2) })

const eventsOfKills = ['kills', 'payments and refunds cut off by a kill']

/** Events that a long enough campaign must contain, besides each operation. */
const expectedEvents = [
  'ends in good order',
  'more than a week passed',
  'months of traffic',
  'money discarded after a question',
  'money for a deleted order',
  'money for a replaced order',
  'money for something paid already',
  'money after the due time',
  'money after the end of the contract',
  ...tamperings.map((name) => `noticed: ${name}`),
]

const listMissingCases = (
  { operations: operationCounts, events: eventCounts }: MoneyTally,
  hasKills: boolean,
): string[] => [
  ...Object.keys(operations).filter((name) => (operationCounts.get(name)?.done ?? 0) === 0),
  ...[...expectedEvents, ...(hasKills ? eventsOfKills : [])].filter((name) => (eventCounts.get(name) ?? 0) === 0),
]

function printTally({ operations: operationCounts, events: eventCounts, refusals }: MoneyTally): void {
  console.log('  took effect / refused / no response')
  for (const name of Object.keys(operations)) {
    const { done = 0, refused = 0, unanswered = 0 } = operationCounts.get(name) ?? {}
    console.log(
      `  ${name.padEnd(36)} ${String(done).padStart(6)} ${String(refused).padStart(6)} ${String(unanswered).padStart(6)}`,
    )
  }
  const sortByName = (countsByName: Map<string, number>) => [...countsByName].toSorted(([a], [b]) => (a < b ? -1 : 1))
  for (const [name, count] of sortByName(eventCounts)) console.log(`  ${name.padEnd(56)} ${String(count).padStart(6)}`)
  console.log('  no effect because')
  for (const [name, count] of sortByName(refusals)) console.log(`  ${name.padEnd(64)} ${String(count).padStart(6)}`)
}

/** Runs half of the histories on each engine, both at once, or all on the given engine. */
export async function run([
  histories = '100',
  seed = 'any',
  onlyEngine = 'both',
  givenMode = 'kills',
]: string[]): Promise<void> {
  const mode = givenMode === 'quick' ? 'quick' : 'kills'
  const count = Number(histories)
  const firstSeed = /^\d+$/.test(seed) ? Number(seed) : Date.now() % 1_000_000
  const halfCount = Math.ceil(count / 2)
  console.log(`money: ${count} histories, seed ${firstSeed}`)
  const tally = createTally()
  const startedAt = performance.now()
  const runs: [MoneyEngine, number, number][] =
    onlyEngine === 'embedded' || onlyEngine === 'postgres'
      ? [[onlyEngine, firstSeed, count]]
      : [
          ['embedded', firstSeed, halfCount],
          ['postgres', firstSeed + halfCount, count - halfCount],
        ]
  const results = await Promise.all(
    runs.map(([engine, runSeed, count]) =>
      runHistories({
        engine,
        count,
        seed: runSeed,
        tally,
        mode,
        log: (line) => console.log(`  ${engine}: ${line}`),
      }),
    ),
  )
  printTally(tally)
  const allFaults = results.flat()
  const neverSeen = count >= modes[mode].enoughHistories ? listMissingCases(tally, mode === 'kills') : []
  for (const name of neverSeen) console.log(`  never took effect: ${name}`)
  const minutes = ((performance.now() - startedAt) / minuteMs).toFixed(1)
  console.log(`  ${count} histories in ${minutes} minutes: ${allFaults.length} faults`)
  for (const [engine, , runCount] of runs)
    reportTotals({
      [`${mode === 'quick' ? 'short histories' : 'histories'} of money, ${engine}`]: runCount,
    })
  reportTotals({ 'kills of the server': tally.events.get('kills') ?? 0 })
  if (allFaults.length + neverSeen.length > 0) process.exitCode = 1
}

const minuteMs = 60_000
