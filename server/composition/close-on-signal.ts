import type { Logger } from 'pino'

/** Maximum time for the whole shutdown, in ms. */
const maxCloseMs = 9500
/** Time for pino to write the last lines, in ms. */
const logFlushMs = 50

/** The first signal closes, the second one ends at once. An unexpected error closes with exit code 1 (S-92). */
export function closeOnSignal(log: Logger, close: (signal: string) => Promise<void>): void {
  let isClosing = false
  function closeProcess(code: number, signal: string): void {
    if (isClosing) return scheduleExit(code || 1)
    isClosing = true
    // Also needed if nothing else keeps the process alive until the shutdown is complete.
    process.exitCode = code
    setTimeout(() => process.exit(code || 1), maxCloseMs).unref()
    close(signal).then(
      () => scheduleExit(code),
      (error: unknown) => {
        log.error({ event: 'shutdown_failed', err: error }, 'the server could not shut down cleanly')
        scheduleExit(1)
      },
    )
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => closeProcess(0, signal))
  for (const kind of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(kind, (error: unknown) => {
      log.fatal({ event: 'crashed', err: error, kind }, 'the server stops after an unexpected error')
      closeProcess(1, kind)
    })
}

/** Delays the exit, because pino may retry its last lines for ever at the exit if nobody reads its output. */
function scheduleExit(code: number): void {
  setTimeout(() => process.exit(code), logFlushMs)
}
