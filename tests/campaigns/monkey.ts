/**
 * A monkey uses the portal: Bombadil clicks, types and presses keys at random, goes offline, reloads and changes the window, while rules watch
 * every page (docs/quality.md). Each round has a new portal, a new browser and another user, language and window. Traces of rounds with a
 * violation stay in `reports/monkey`; `npx bombadil browser inspect FOLDER` shows one with pictures, and the last argument repeats its actions.
 *
 * npm run campaign -- monkey [minutes] [seed] [folder of a trace]
 */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buildWatcher, prepareDemoData, type RoundOptions, runRound } from '#tests/campaigns/monkey/round.ts'
import { readTrace } from '#tests/campaigns/monkey/trace.ts'
import { reportFigures } from '#tests/campaigns/nightly/report-figures.ts'
import { reportTotals } from '#tests/campaigns/nightly/totals.ts'
import { createRandom, pick, type Random } from '#tests/support/runner/random.ts'

/** In minutes. A password or a user that the monkey has changed is back in the next round. */
const maxRoundMinutes = 6
const reportsFolder = join(import.meta.dirname, '..', '..', 'reports', 'monkey')
const windows = [
  { width: 1280, height: 800 },
  { width: 768, height: 1024 },
  { width: 360, height: 740 },
]

type RoundSetting = Pick<RoundOptions, 'company' | 'language' | 'width' | 'height'>

/** The seed decides about the rounds, not about the actions: Bombadil has no seed. Customers and staff take turns. */
const drawSetting = (random: Random, index: number): RoundSetting => ({
  company: index % 2 === 0 ? 'acme' : 'm18',
  language: pick(random, ['en', 'zh'] as const),
  ...pick(random, windows),
})

/** Returns what is wrong with a round, and how many actions it had. */
async function tryRound(
  watcherScript: string,
  options: RoundOptions,
): Promise<{ faults: string[]; actionCount: number }> {
  const { output, exitCode, serverErrors } = await runRound(watcherScript, options)
  const { actionCount, paths, violations } = readTrace(options.folder)
  console.log(`  ${actionCount} actions, pages: ${paths.map((path) => path.replace(/^\/saas/, '')).join(' ')}`)
  for (const { property, details, steps, screenshot } of violations) {
    console.log([`  ${property} is violated:`, ...details, ...steps, `picture: ${screenshot}`].join('\n    '))
  }
  // Bombadil exits with 2 after violations.
  const hasEnded = (exitCode === 0 || exitCode === 2) && actionCount > 0
  if (!hasEnded) console.log(output.slice(-3_000))
  const faults = [
    ...violations.map(({ property, details }) => `${property}: ${details.join(' | ')}`),
    ...new Set(serverErrors),
    ...(hasEnded ? [] : [`Bombadil ended with ${exitCode} after ${actionCount} actions`]),
  ]
  return { faults, actionCount }
}

export async function run([
  minutes = '2',
  seed = String(Date.now() % 1_000_000),
  repeatedTrace,
]: string[]): Promise<void> {
  const random = createRandom(Number(seed))
  const count = repeatedTrace ? 1 : Math.max(1, Math.round(Number(minutes) / maxRoundMinutes))
  console.log(`monkey: ${minutes} minutes in ${count} rounds, seed ${seed}`)
  const watcherScript = await buildWatcher()
  const demoData = await prepareDemoData()
  const allFaults: string[] = []
  let totalCount = 0
  await mkdir(reportsFolder, { recursive: true })
  for (let index = 0; index < count; index++) {
    const setting = drawSetting(random, index)
    const folder = join(reportsFolder, `${seed}-${index + 1}`)
    await rm(folder, { recursive: true, force: true })
    console.log(`round ${index + 1}: ${setting.company}, ${setting.language}, ${setting.width} px`)
    const options = { ...setting, demoData, folder, minutes: Number(minutes) / count }
    const { faults, actionCount } = await tryRound(watcherScript, {
      ...options,
      ...(repeatedTrace && { repeatedTrace }),
    })
    totalCount += actionCount
    if (faults.length > 0) console.log(`  trace: ${folder}`)
    else await rm(folder, { recursive: true })
    allFaults.push(...faults)
  }
  await rm(demoData, { recursive: true })
  console.log(`${totalCount} actions, ${allFaults.length} faults`)
  for (const fault of allFaults) console.log(`  ${fault}`)
  reportFigures([
    {
      id: 'properties violated by random use in a browser',
      value: `${allFaults.length} after ${totalCount} actions`,
      limit: '0',
      hasPassed: allFaults.length === 0,
    },
  ])
  if (allFaults.length > 0) process.exitCode = 1
  else reportTotals({ 'random actions in a browser': totalCount })
}
