/**
 * Random histories of orders, changes, payments, deletions, late and repeated notices and kills, on both engines: every unit of money
 * is on an order, refunded, or a task of the staff. Ten histories live in one world at a time.
 *
 *   npm run campaign -- money [histories] [seed] [embedded|postgres]
 *   npm run campaign -- money 1 <seed of a history> <engine>: that one alone
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { liveThrough, newTally, type Tally } from '#tests/campaigns/money/histories.ts'
import { operations } from '#tests/campaigns/money/operations.ts'
import { tamperings } from '#tests/campaigns/money/tamper.ts'
import { prepareTemplate } from '#tests/campaigns/money/world.ts'
import { postgresBin, startCluster } from '#tests/support/server/postgres.ts'

type Engine = 'embedded' | 'postgres'

const perWorld = 10
/** From so many on, each operation must have taken effect. */
const enoughHistories = 100

export interface MoneyCampaign {
  engine: Engine
  count: number
  /** Of the first history; each next one has the next number. */
  seed: number
  tally: Tally
  hasKills?: boolean
  say?: (line: string) => void
}

/** Returns what is wrong, in words. */
export async function runHistories({
  engine,
  count,
  seed,
  tally,
  hasKills = true,
  say = () => undefined,
}: MoneyCampaign): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), `portal-money-${engine}-`))
  const bin = engine === 'postgres' ? postgresBin() : null
  if (engine === 'postgres' && bin === null)
    throw new Error('PostgreSQL is not installed here: its half of the campaign cannot run')
  const cluster = bin === null ? null : await startCluster(bin)
  const wrong: string[] = []
  try {
    const template = await prepareTemplate(folder, cluster?.url ?? null)
    for (let first = seed; first < seed + count; first += perWorld) {
      const seeds = Array.from({ length: Math.min(perWorld, seed + count - first) }, (_, at) => first + at)
      const faults = await template
        .open((world) => liveThrough({ world, seeds, tally, hasKills }))
        .catch((error: unknown) => [String(error)])
      for (const fault of faults) say(`WRONG ${fault}`)
      if (faults.length > 0) say(`      again: npm run campaign -- money ${seeds.length} ${first} ${engine}`)
      wrong.push(...faults)
      say(`${first + seeds.length - seed} of ${count} histories, ${wrong.length} wrong`)
    }
  } finally {
    await cluster?.stop()
    await rm(folder, { recursive: true, force: true })
  }
  return wrong
}

/** What must have happened in a campaign that is long enough, beside each operation. */
const events = [
  'kills',
  'ends in good order',
  'payments and refunds cut off by a kill',
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

/** Names of what never took effect. */
export const neverDone = ({ operations: counts, events: found }: Tally): string[] => [
  ...Object.keys(operations).filter((name) => (counts.get(name)?.done ?? 0) === 0),
  ...events.filter((name) => (found.get(name) ?? 0) === 0),
]

function report({ operations: counts, events: found, refusals }: Tally): void {
  console.log('  took effect / refused / no answer')
  for (const name of Object.keys(operations)) {
    const { done = 0, refused = 0, unanswered = 0 } = counts.get(name) ?? {}
    console.log(
      `  ${name.padEnd(36)} ${String(done).padStart(6)} ${String(refused).padStart(6)} ${String(unanswered).padStart(6)}`,
    )
  }
  const byName = (counted: Map<string, number>) => [...counted].toSorted(([a], [b]) => (a < b ? -1 : 1))
  for (const [name, times] of byName(found)) console.log(`  ${name.padEnd(56)} ${String(times).padStart(6)}`)
  console.log('  no effect because')
  for (const [name, times] of byName(refusals)) console.log(`  ${name.padEnd(64)} ${String(times).padStart(6)}`)
}

/** Half of them on each engine, both at once, or all on the one that is named. */
export async function run([histories = '100', seed = String(Date.now() % 1_000_000), only]: string[]): Promise<void> {
  const count = Number(histories)
  const first = Number(seed)
  const half = Math.ceil(count / 2)
  console.log(`money: ${count} histories, seed ${seed}`)
  const tally = newTally()
  const began = performance.now()
  const parts: [Engine, number, number][] =
    only === 'embedded' || only === 'postgres'
      ? [[only, first, count]]
      : [
          ['embedded', first, half],
          ['postgres', first + half, count - half],
        ]
  const results = await Promise.all(
    parts.map(([engine, from, times]) =>
      runHistories({ engine, count: times, seed: from, tally, say: (line) => console.log(`  ${engine}: ${line}`) }),
    ),
  )
  report(tally)
  const wrong = results.flat()
  const never = count >= enoughHistories ? neverDone(tally) : []
  for (const name of never) console.log(`  never took effect: ${name}`)
  const minutes = ((performance.now() - began) / minuteMs).toFixed(1)
  console.log(`  ${count} histories in ${minutes} minutes: ${wrong.length} faults`)
  if (wrong.length + never.length > 0) process.exitCode = 1
}

const minuteMs = 60_000
