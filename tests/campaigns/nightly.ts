/**
 * Every campaign, one after the other, each in a process of its own. Writes `reports/nightly-<time>.md`: a table of the
 * results, then the output of each. Ends with 1 when one of them failed.
 *
 *   npm run campaign -- nightly
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

interface Outcome {
  id: string
  passed: boolean
  minutes: number
  output: string
}

const folder = join(import.meta.dirname, '..', '..', 'reports')

async function runOne(id: string): Promise<Outcome> {
  const began = performance.now()
  const child = spawn(process.execPath, [join(import.meta.dirname, 'run.ts'), id], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const [stream, screen] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const)
    stream.on('data', (piece: Buffer) => {
      output += piece.toString()
      screen.write(piece)
    })
  const [code] = await once(child, 'close')
  return { id, passed: code === 0, minutes: (performance.now() - began) / 60_000, output }
}

const asText = (began: Date, outcomes: readonly Outcome[]) =>
  [
    `# Campaigns of ${began.toISOString()}`,
    '',
    '| Campaign | Result | Minutes |',
    '| --- | --- | --- |',
    ...outcomes.map(({ id, passed, minutes }) => `| ${id} | ${passed ? 'passed' : 'FAILED'} | ${minutes.toFixed(1)} |`),
    ...outcomes.flatMap(({ id, output }) => ['', `## ${id}`, '', '```', output.trimEnd(), '```']),
    '',
  ].join('\n')

export async function nightly(ids: readonly string[]): Promise<void> {
  const began = new Date()
  const path = join(folder, `nightly-${began.toISOString().slice(0, 16).replace(':', '')}.md`)
  await mkdir(folder, { recursive: true })
  const outcomes: Outcome[] = []
  for (const id of ids) {
    outcomes.push(await runOne(id))
    // After each, so that a night that is cut short leaves what it has.
    await writeFile(path, asText(began, outcomes))
  }
  const failed = outcomes.filter(({ passed }) => !passed).map(({ id }) => id)
  console.log(`${outcomes.length - failed.length} campaigns passed, ${failed.length} failed: ${path}`)
  if (failed.length > 0) process.exitCode = 1
}
