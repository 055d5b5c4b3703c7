/**
 * Tests WebKit and Firefox: a short user journey, the known faults of each, screenshots of the main pages, then writes under faults and
 * kills of the browser. Missing browsers are installed on Debian if run as root.
 *
 * npm run campaign -- engines [webkit|firefox|both] [writes] [kills] [seed]
 */
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EngineName } from '#tests/campaigns/engines/engine.ts'
import { runJourney } from '#tests/campaigns/engines/journey.ts'
import { leavePages } from '#tests/campaigns/engines/left-pages.ts'
import { takePictures } from '#tests/campaigns/engines/pictures.ts'
import { countRenewals } from '#tests/campaigns/engines/renewals.ts'
import { openStage } from '#tests/campaigns/engines/stage.ts'
import { type WriteReport, writeUnderFaults } from '#tests/campaigns/engines/writes.ts'
import { createRandom } from '#tests/support/runner/random.ts'

const rounds = 8
const sessionKills = 3
/**
 * Maximum number of token renewals during the page visits of `countRenewals`. Only a worker's first request may need one, because the page
 * gives its token to the worker.
 */
const maxRenewals = 1

async function tryEngine(
  engine: EngineName,
  options: { writes: number; kills: number; seed: number },
  report: (line: string) => void,
): Promise<string[]> {
  const random = createRandom(options.seed)
  const stage = await openStage(engine)
  try {
    await runJourney(stage, report)
    const blocked = await leavePages(stage, random, rounds, report)
    const { renewalCount, requests, kills, survivedCount } = await countRenewals(stage, sessionKills, report)
    const pictureFaults = await takePictures(stage, join(tmpdir(), `portal-pictures-${engine}`), report)
    // This part is the last, because it stops the server.
    const writeReport = await writeUnderFaults(stage, random, options, report)
    report(toText(writeReport))
    return [
      ...blocked.map((path) => `blocked ${path}`),
      ...(renewalCount > maxRenewals ? [`${renewalCount} renewals before ${requests} requests`] : []),
      ...(survivedCount < kills ? [`the session survived ${survivedCount} of ${kills} kills`] : []),
      ...pictureFaults,
      ...listProblems(writeReport),
    ]
  } finally {
    await stage.close()
  }
}

const listProblems = ({
  lostWrites,
  doubledWrites,
  misorderedWrites,
  foreignWrites,
  tornWrites,
  missingIntents,
  problems,
  stuck,
}: WriteReport): string[] =>
  Object.entries({
    lost: lostWrites,
    doubled: doubledWrites,
    disordered: misorderedWrites,
    foreign: foreignWrites,
    torn: tornWrites,
    missingIntents,
    problems,
    stuck,
  }).flatMap(([kind, details]) => details.map((detail) => `${kind}: ${detail}`))

const toText = ({
  recorded,
  doneCount,
  arrivals,
  metFaults,
  kills,
  logins,
  lostWrites,
  doubledWrites,
  misorderedWrites,
}: WriteReport): string =>
  `${recorded} writes recorded, ${doneCount} in the database, ${arrivals} arrivals; ` +
  `${Object.values(metFaults).reduce((sum, count) => sum + count, 0)} faults, ${kills} kills, ${logins} logins after them; ` +
  `${lostWrites.length} lost, ${doubledWrites.length} doubled, ${misorderedWrites.length} out of order`

export async function run([
  engine = 'both',
  writes = '200',
  kills = '30',
  seed = String(Date.now() % 1_000_000),
]: string[]): Promise<void> {
  const setup = spawnSync(process.execPath, [join('scripts', 'setup.mjs'), '--engines'], { stdio: 'inherit' })
  if (setup.status !== 0) throw new Error('could not set up Firefox and WebKit')
  const engines: EngineName[] = engine === 'webkit' || engine === 'firefox' ? [engine] : ['webkit', 'firefox']
  for (const engineName of engines) {
    console.log(`${engineName}: ${writes} writes, ${kills} kills, seed ${seed}`)
    const options = { writes: Number(writes), kills: Number(kills), seed: Number(seed) }
    const problems = await tryEngine(engineName, options, (line) => console.log(`  ${line}`))
    for (const problem of problems) console.log(`  ${problem}`)
    if (problems.length > 0) process.exitCode = 1
  }
}
