/** Runs test files of the suite from a campaign: all there is in them (`nightly.ts`), longer, with other seeds, or over changed code. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { quickStart } from '#tests/support/server/process.ts'

const root = join(import.meta.dirname, '..', '..')

/** What Node is started with. */
const buildCommand = (args: string[], env: Record<string, string>) =>
  [
    [...quickStart, join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...args],
    { cwd: root, env: { ...process.env, NO_COLOR: '1', CAMPAIGN: '1', ...env } },
  ] as const

export interface VitestRun {
  hasPassed: boolean
  /** Standard output and error as they came. */
  output: string
}

/** `env` comes on top of this process's own. */
export async function runVitest(args: string[], env: Record<string, string>): Promise<VitestRun> {
  const [command, options] = buildCommand(args, env)
  const child = spawn(process.execPath, command, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (output += piece))
  const [code] = await once(child, 'close')
  return { hasPassed: code === 0, output }
}

/** What it says is shown as it comes, because it takes many minutes; where a test fails, so does this process. */
export async function showVitest(args: string[]): Promise<void> {
  const [command, options] = buildCommand(args, {})
  const [code] = await once(
    spawn(process.execPath, command, { ...options, stdio: ['ignore', 'inherit', 'inherit'] }),
    'close',
  )
  if (code !== 0) process.exitCode = 1
}
