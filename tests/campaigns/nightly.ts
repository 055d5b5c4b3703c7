/**
 * Runs every campaign in its own process, one after the other. Writes `reports/nightly-<time>.md`: a table of the results and the output of
 * each. Exits with 1 if one failed.
 *
 * npm run campaign -- nightly
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

interface CampaignOutcome {
  id: string
  hasPassed: boolean
  minutes: number
  output: string
}

const reportsFolder = join(import.meta.dirname, '..', '..', 'reports')

async function runCampaign(id: string): Promise<CampaignOutcome> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [join(import.meta.dirname, 'run.ts'), id], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const [stream, screen] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const)
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      screen.write(chunk)
    })
  const [code] = await once(child, 'close')
  return { id, hasPassed: code === 0, minutes: (performance.now() - startedAt) / 60_000, output }
}

const toText = (startedAt: Date, outcomes: readonly CampaignOutcome[]) =>
  [
    `# Campaigns of ${startedAt.toISOString()}`,
    '',
    '| Campaign | Result | Minutes |',
    '| --- | --- | --- |',
    ...outcomes.map(
      ({ id, hasPassed, minutes }) => `| ${id} | ${hasPassed ? 'passed' : 'FAILED'} | ${minutes.toFixed(1)} |`,
    ),
    ...outcomes.flatMap(({ id, output }) => ['', `## ${id}`, '', '```', output.trimEnd(), '```']),
    '',
  ].join('\n')

export async function runNightly(ids: readonly string[]): Promise<void> {
  const startedAt = new Date()
  const path = join(reportsFolder, `nightly-${startedAt.toISOString().slice(0, 16).replace(':', '')}.md`)
  await mkdir(reportsFolder, { recursive: true })
  const outcomes: CampaignOutcome[] = []
  for (const id of ids) {
    outcomes.push(await runCampaign(id))
    // The report is written after each campaign, so that an interrupted night keeps its results.
    await writeFile(path, toText(startedAt, outcomes))
  }
  const failedIds = outcomes.filter(({ hasPassed }) => !hasPassed).map(({ id }) => id)
  console.log(`${outcomes.length - failedIds.length} campaigns passed, ${failedIds.length} failed: ${path}`)
  if (failedIds.length > 0) process.exitCode = 1
}
