/** Tests that a process ends on a signal, even if nobody reads its log any longer. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'

/**
 * Returns exit code and signal of a process that gets a signal while nobody reads its log. One log entry is being written, and another
 * entry waits.
 */
async function readExit(closeCode: string): Promise<unknown[]> {
  const program = `
    import { closeOnSignal } from '#server/composition/close-on-signal.ts'
    import { createLogger } from '#server/context/log.ts'
    const log = createLogger('info')
    closeOnSignal(log, async () => {
      log.info('closing')
      ${closeCode}
    })
    setInterval(() => {}, 1_000)
    process.stderr.write('ready')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    await once(child.stderr, 'data')
    child.stdout.destroy()
    child.kill('SIGTERM')
    const timeout = new Promise<string[]>((resolve) => setTimeout(resolve, 8_000, ['still there']))
    return await Promise.race([once(child, 'exit'), timeout])
  } finally {
    child.kill('SIGKILL')
  }
}

it('The server exits with 0 although nobody reads its last log output (R-15)', async () => {
  expect(await readExit("log.info('closed')")).toEqual([0, null])
})

it('The server exits with 1 if closing fails, although nobody reads its log (R-15)', async () => {
  expect(await readExit("throw new Error('no end')")).toEqual([1, null])
})

/** Returns exit code and log of a process in which the given error occurs and is not caught. */
async function readExitAfterFault(
  faultCode: string,
  closeCode: string,
): Promise<{ code: number | null; output: string }> {
  const program = `
    import { closeOnSignal } from '#server/composition/close-on-signal.ts'
    import { createLogger } from '#server/context/log.ts'
    const log = createLogger('info')
    closeOnSignal(log, async (signal) => {
      log.info({ signal }, 'closing')
      ${closeCode}
    })
    ${faultCode}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

it.each([
  ['uncaughtException', "setImmediate(() => { throw new Error('nobody foresaw this') })"],
  ['unhandledRejection', "void Promise.reject(new Error('nobody foresaw this'))"],
])('The server logs an uncaught error, closes everything and exits with 1 (%s) (fault 1k)', async (kind, fault) => {
  const { code, output } = await readExitAfterFault(
    fault,
    "await new Promise((done) => setTimeout(done, 50)); log.info('closed')",
  )
  expect(code).toBe(1)
  const lines = output
    .trim()
    .split('\n')
    .map(
      (line) =>
        JSON.parse(line) as { level: number; msg: string; kind?: string; signal?: string; err?: { message: string } },
    )
  expect(lines.map(({ msg, kind: loggedKind }) => loggedKind ?? msg)).toEqual([kind, 'closing', 'closed'])
  expect([lines[0]?.level, lines[0]?.err?.message, lines[1]?.signal]).toEqual([60, 'nobody foresaw this', kind])
})

it('The server exits with 1 after an uncaught error although closing never ends (fault 1k)', async () => {
  const fault = "setImmediate(() => { throw new Error('nobody foresaw this') })"
  expect((await readExitAfterFault(fault, 'await new Promise(() => undefined)')).code).toBe(1)
})
