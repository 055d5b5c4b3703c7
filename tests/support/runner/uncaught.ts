/** What reaches the process itself, which would end a server. */
import { afterAll, afterEach, beforeAll, expect } from 'vitest'

/** For each test of the file: no error may get that far. */
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
