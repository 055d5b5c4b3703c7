/**
 * Runs test files of the suite from a campaign, including their nightly parts (`nightly.ts`): longer, with other seeds, or on modified
 * code.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { quickStart } from '#tests/support/server/process.ts'

const root = join(import.meta.dirname, '..', '..')

const buildCommand = (args: string[], env: Record<string, string>, folder: string) =>
  [
    [...quickStart, join(folder, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...args],
    { cwd: folder, env: { ...process.env, NO_COLOR: '1', CAMPAIGN: '1', ...env } },
  ] as const

export interface VitestRun {
  hasPassed: boolean
  output: string
}

/** Runs vitest with these arguments in `folder`, a copy of the repository. `env` extends the environment of this process. */
export async function runVitest(args: string[], env: Record<string, string>, folder = root): Promise<VitestRun> {
  const [command, options] = buildCommand(args, env, folder)
  const child = spawn(process.execPath, command, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (output += piece))
  const [code] = await once(child, 'close')
  return { hasPassed: code === 0, output }
}

/** Like `runVitest`, but prints the output while it runs, because it takes many minutes. Fails this process if a test fails. */
export async function showVitest(args: string[], env: Record<string, string> = {}): Promise<void> {
  const [command, options] = buildCommand(args, env, root)
  const [code] = await once(
    spawn(process.execPath, command, { ...options, stdio: ['ignore', 'inherit', 'inherit'] }),
    'close',
  )
  if (code !== 0) process.exitCode = 1
}
