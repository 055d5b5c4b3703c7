/** Watches for errors that no code handles. Such an error would end a server process. */
import { afterAll, afterEach, beforeAll, expect } from 'vitest'

/** Fails each test of the file in which such an error occurs. */
export function expectNothingUncaught(): void {
  const uncaught: unknown[] = []
  const noteError = (error: unknown) => void uncaught.push(error)
  beforeAll(() => {
    process.on('uncaughtExceptionMonitor', noteError).on('unhandledRejection', noteError)
  })
  afterEach(() => expect(uncaught.splice(0)).toEqual([]))
  afterAll(() => {
    process.off('uncaughtExceptionMonitor', noteError).off('unhandledRejection', noteError)
  })
}
