/** What a host says, as what we answer: it may be asked again later, or there is nothing to read. */
import { HostingError } from '#server/drivers/hosting/hosting-driver.ts'
import { createNotFoundProblem, createUnavailableProblem } from '#server/problems/problem-error.ts'

/** Throws UNAVAILABLE where the host does not answer; one that knows nothing of the service has no line. */
export async function* mapHostErrors<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* source
  } catch (error) {
    if (!(error instanceof HostingError)) throw error
    if (error.fault === 'no_instance') return
    throw error.fault === 'unreachable' ? createUnavailableProblem(10) : createNotFoundProblem()
  }
}
