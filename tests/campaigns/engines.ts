/**
 * WebKit and Firefox: a person's shortest way through, the faults that each of them had, pictures of the main pages, then writes
 * under faults and kills of the browser. Missing browsers are installed on Debian as root.
 *
 *   npm run campaign -- engines [webkit|firefox|both] [writes] [kills] [seed]
 */
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EngineName } from '#tests/campaigns/engines/engine.ts'
import { walk } from '#tests/campaigns/engines/journey.ts'
import { leavePages } from '#tests/campaigns/engines/left-pages.ts'
import { takePictures } from '#tests/campaigns/engines/pictures.ts'
import { countRenewals } from '#tests/campaigns/engines/renewals.ts'
import { openStage } from '#tests/campaigns/engines/stage.ts'
import { type WriteReport, writeUnderFaults } from '#tests/campaigns/engines/writes.ts'
import { chanceOf } from '#tests/support/runner/chance.ts'

const rounds = 8
const sessionKills = 3
/** Each request but for the first of a worker may do without: a page names its token. */
const maxRenewals = 1

/** What is not as promised. */
async function tryEngine(
  engine: EngineName,
  how: { writes: number; kills: number; seed: number },
  say: (line: string) => void,
): Promise<string[]> {
  const chance = chanceOf(how.seed)
  const stage = await openStage(engine)
  try {
    await walk(stage, say)
    const blocked = await leavePages(stage, chance, rounds, say)
    const { renewals, requests, kills, survived } = await countRenewals(stage, sessionKills, say)
    const pictureFaults = await takePictures(stage, join(tmpdir(), `portal-pictures-${engine}`), say)
    // Last, because it stops the server.
    const report = await writeUnderFaults(stage, chance, how, say)
    say(toText(report))
    return [
      ...blocked.map((one) => `blocked ${one}`),
      ...(renewals > maxRenewals ? [`${renewals} renewals before ${requests} requests`] : []),
      ...(survived < kills ? [`the session survived ${survived} of ${kills} kills`] : []),
      ...pictureFaults,
      ...problemsOf(report),
    ]
  } finally {
    await stage.close()
  }
}

const problemsOf = ({ lost, doubled, disordered, foreign, torn, gone, problems, stuck }: WriteReport): string[] =>
  Object.entries({ lost, doubled, disordered, foreign, torn, gone, problems, stuck }).flatMap(([kind, matches]) =>
    matches.map((one) => `${kind}: ${one}`),
  )

const toText = ({ recorded, done, arrivals, met, kills, logins, lost, doubled, disordered }: WriteReport): string =>
  `${recorded} writes recorded, ${done} in the database, ${arrivals} arrivals; ` +
  `${Object.values(met).reduce((sum, count) => sum + count, 0)} faults, ${kills} kills, ${logins} logins after them; ` +
  `${lost.length} lost, ${doubled.length} doubled, ${disordered.length} out of order`

export async function run([
  engine = 'both',
  writes = '200',
  kills = '30',
  seed = String(Date.now() % 1_000_000),
]: string[]): Promise<void> {
  const setup = spawnSync(process.execPath, [join('scripts', 'setup.mjs'), '--engines'], { stdio: 'inherit' })
  if (setup.status !== 0) throw new Error('Firefox and WebKit could not be made ready')
  const engines: EngineName[] = engine === 'webkit' || engine === 'firefox' ? [engine] : ['webkit', 'firefox']
  for (const one of engines) {
    console.log(`${one}: ${writes} writes, ${kills} kills, seed ${seed}`)
    const how = { writes: Number(writes), kills: Number(kills), seed: Number(seed) }
    const problems = await tryEngine(one, how, (line) => console.log(`  ${line}`))
    for (const problem of problems) console.log(`  ${problem}`)
    if (problems.length > 0) process.exitCode = 1
  }
}
