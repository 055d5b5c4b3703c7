/** A program ends when it is asked to, though nobody reads any more what it logs while it ends. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'

/** Exit code and signal of a program that is asked to end when nobody reads its log: one line is being written, another one waits. */
async function ended(close: string): Promise<unknown[]> {
  const program = `
    import { closeOnSignal } from '#server/close-on-signal.ts'
    import { buildLog } from '#server/log.ts'
    const log = buildLog('info')
    closeOnSignal(log, async () => {
      log.info('closing')
      ${close}
    })
    setInterval(() => {}, 1_000)
    process.stderr.write('ready')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    await once(child.stderr, 'data')
    child.stdout.destroy()
    child.kill('SIGTERM')
    const late = new Promise<string[]>((done) => setTimeout(done, 8_000, ['still there']))
    return await Promise.race([once(child, 'exit'), late])
  } finally {
    child.kill('SIGKILL')
  }
}

it('ends with 0 though its last line is read by nobody (R-15)', async () => {
  expect(await ended("log.info('closed')")).toEqual([0, null])
})

it('ends with 1 where closing fails, though nobody reads why (R-15)', async () => {
  expect(await ended("throw new Error('no end')")).toEqual([1, null])
})
