/**
 * Runs the main journeys in Firefox and WebKit, then the known faults of each, screenshots of the main pages, writes under faults, and kills
 * of browser and server (docs/browsers.md). Missing browsers are installed on Debian if run as root. The kills are tested in Chromium too.
 *
 * npm run campaign -- browsers [firefox|webkit|chromium|both] [journey] [number of kills or writes] [seed]
 */
import { spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EngineName } from '#tests/campaigns/browsers/engine.ts'
import { resolveConflict } from '#tests/campaigns/browsers/journeys/conflict.ts'
import { checkDevice } from '#tests/campaigns/browsers/journeys/device-rules.ts'
import { type Journey, runJourney } from '#tests/campaigns/browsers/journeys/journey.ts'
import { logOut } from '#tests/campaigns/browsers/journeys/logout.ts'
import { readListOffline } from '#tests/campaigns/browsers/journeys/offline-list.ts'
import { orderAndPay } from '#tests/campaigns/browsers/journeys/order-and-pay.ts'
import { sendPicture } from '#tests/campaigns/browsers/journeys/picture.ts'
import { queueWrite } from '#tests/campaigns/browsers/journeys/queued-write.ts'
import { signIn } from '#tests/campaigns/browsers/journeys/sign-in.ts'
import { proveTrail } from '#tests/campaigns/browsers/journeys/trail-proof.ts'
import { killBrowserAndServer } from '#tests/campaigns/browsers/kills.ts'
import { leavePages } from '#tests/campaigns/browsers/left-pages.ts'
import { takePictures } from '#tests/campaigns/browsers/pictures.ts'
import { countRenewals } from '#tests/campaigns/browsers/renewals.ts'
import { type EngineStage, openStage } from '#tests/campaigns/browsers/stage.ts'
import { writeUnderFaults } from '#tests/campaigns/browsers/writes.ts'
import { reportFigures } from '#tests/campaigns/nightly/report-figures.ts'
import { reportTotals } from '#tests/campaigns/nightly/totals.ts'
import type { NightlyFigure } from '#tests/campaigns/nightly/record.ts'
import { createRandom, type Random } from '#tests/support/runner/random.ts'

interface RunContext {
  stage: EngineStage
  random: Random
  /** Number of kills or writes. Null: the default. */
  count: number | null
  report: (line: string) => void
  figures: NightlyFigure[]
}

/** Returns the faults that were found. */
type Run = (context: RunContext) => Promise<string[]>

const rounds = 8
const sessionKills = 3
const defaultWrites = 100
const defaultKills = 75
/**
 * Maximum number of token renewals during the page visits of `countRenewals`. Only a worker's first request may need one, because the page
 * gives its token to the worker.
 */
const maxRenewals = 1

const getPictureFolder = (engine: EngineName) => join(tmpdir(), `portal-pictures-${engine}`)

const toRun =
  (journey: Journey, { isDirect = false } = {}): Run =>
  async ({ stage, report }) => {
    const savePicture = async (png: Buffer) => {
      const path = join(getPictureFolder(stage.engine), `failed-${journey.name}.png`)
      await mkdir(getPictureFolder(stage.engine), { recursive: true })
      await writeFile(path, png)
      report(`the screen at the failure: ${path}`)
    }
    await runJourney(stage, journey, { isDirect, savePicture })
    return []
  }

const browserNames: Record<EngineName, string> = { chromium: 'Chromium', firefox: 'Firefox', webkit: 'WebKitGTK' }

const journeys: Record<string, Run> = {
  'sign-in': toRun(signIn),
  'offline-list': toRun(readListOffline),
  'queued-write': toRun(queueWrite),
  conflict: toRun(resolveConflict),
  logout: toRun(logOut),
  // The payment provider returns to the portal's own address.
  'order-and-pay': toRun(orderAndPay, { isDirect: true }),
  'trail-proof': toRun(proveTrail),
  picture: toRun(sendPicture),
  'device-rules': toRun(checkDevice),
  'left-pages': async ({ stage, random, report }) => await leavePages(stage, random, rounds, report),
  renewals: async ({ stage, report }) => {
    const { renewalCount, requests, kills, survivedCount } = await countRenewals(stage, sessionKills, report)
    return [
      ...(renewalCount > maxRenewals ? [`${renewalCount} renewals before ${requests} requests`] : []),
      ...(survivedCount < kills ? [`the session survived ${survivedCount} of ${kills} kills`] : []),
    ]
  },
  pictures: ({ stage, report }) => takePictures(stage, getPictureFolder(stage.engine), report),
  writes: ({ stage, random, count, report }) => writeUnderFaults(stage, random, count ?? defaultWrites, report),
  kills: async ({ stage, random, count, report, figures }) => {
    const { kills, faults } = await killBrowserAndServer(stage, random, count ?? defaultKills, report)
    const total = kills.browser + kills.server
    figures.push({
      id: `writes lost, doubled or out of order by kills, ${stage.engine}`,
      value: `${faults.length} after ${total} kills`,
      limit: '0',
      hasPassed: faults.length === 0,
    })
    if (faults.length === 0)
      reportTotals({
        [`kills of ${browserNames[stage.engine]}`]: kills.browser,
        [`kills of the server, ${browserNames[stage.engine]}`]: kills.server,
      })
    return faults
  },
}

/** Journeys that the tests of `tests/e2e` and `tests/campaigns/browser` do not cover in Chromium. */
const chromiumJourneys = ['kills']

export async function run([
  engine = 'both',
  journeyName,
  count,
  seed = String(Date.now() % 1_000_000),
]: string[]): Promise<void> {
  const setup = spawnSync(process.execPath, [join('scripts', 'setup.mjs'), '--engines'], { stdio: 'inherit' })
  if (setup.status !== 0) throw new Error('could not set up Firefox and WebKit')
  const engines: EngineName[] = engine === 'both' ? ['firefox', 'webkit'] : [engine as EngineName]
  const names = journeyName ? [journeyName] : null
  const figures: NightlyFigure[] = []
  for (const engineName of engines) {
    for (const name of names ?? (engineName === 'chromium' ? chromiumJourneys : Object.keys(journeys))) {
      const startedAt = performance.now()
      const faults = await runOne(engineName, name, {
        count: count === undefined ? null : Number(count),
        seed: Number(seed),
        figures,
      })
      const seconds = Math.round((performance.now() - startedAt) / 1000)
      console.log(`${engineName} ${name}: ${faults.length === 0 ? 'passed' : 'FAILED'} in ${seconds} s, seed ${seed}`)
      for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`)
      if (faults.length > 0) process.exitCode = 1
    }
  }
  reportFigures(figures)
}

async function runOne(
  engine: EngineName,
  name: string,
  { count, seed, figures }: { count: number | null; seed: number; figures: NightlyFigure[] },
): Promise<string[]> {
  const journey = journeys[name]
  if (!journey) throw new Error(`The journey "${name}" does not exist. Journeys: ${Object.keys(journeys).join(', ')}.`)
  const stage = await openStage(engine)
  try {
    const report = (line: string) => console.log(`  ${line}`)
    return await journey({ stage, random: createRandom(seed), count, report, figures })
  } catch (error) {
    return [error instanceof Error ? (error.stack ?? error.message) : String(error)]
  } finally {
    await stage.close()
  }
}
