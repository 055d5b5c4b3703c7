import type { Logger } from 'pino'

/** Maximum time for the whole shutdown, in ms. It begins after the drain. */
const maxCloseMs = 9500
/** Time for pino to write the last lines, in ms. */
const logFlushMs = 50

/**
 * Shuts down at the first signal, and exits without waiting at the second one. SIGTERM first waits for `drain`; Ctrl-C does not. An
 * unexpected error also shuts down, with exit code 1 (S-92).
 */
export function closeOnSignal(
  log: Logger,
  close: (signal: string) => Promise<void>,
  drain: () => Promise<void> = async () => undefined,
): void {
  let isClosing = false
  async function drainAndClose(code: number, signal: string): Promise<void> {
    if (signal === 'SIGTERM') await drain()
    setTimeout(() => process.exit(code || 1), maxCloseMs).unref()
    await close(signal)
  }
  function closeProcess(code: number, signal: string): void {
    if (isClosing) return scheduleExit(code || 1)
    isClosing = true
    // Needed if the process ends by itself before the shutdown is complete.
    process.exitCode = code
    drainAndClose(code, signal).then(
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

/** Exits after a short delay. If nobody reads the output, pino may retry its last lines for ever in an immediate exit. */
function scheduleExit(code: number): void {
  setTimeout(() => process.exit(code), logFlushMs)
}
