/** How the program ends. */
import type { Logger } from 'pino'

/** How long all of closing may take, in ms. */
const maxCloseMs = 9500
/** How long what was logged last may take to be written, in ms. */
const logFlushMs = 50

/**
 * The first signal closes, the second one ends at once. What nobody foresaw closes too, with 1 (S-92); so does a `close` that rejects.
 */
export function closeOnSignal(log: Logger, close: (signal: string) => Promise<void>): void {
  let isClosing = false
  function closeProcess(code: number, signal: string): void {
    if (isClosing) return scheduleExit(code || 1)
    isClosing = true
    // Also where nothing else keeps the process alive before closing ends.
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

/** At the exit itself pino tries its last lines for ever where nobody reads them any more, unless a write has failed before. */
function scheduleExit(code: number): void {
  setTimeout(() => process.exit(code), logFlushMs)
}
