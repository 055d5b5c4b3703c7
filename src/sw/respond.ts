/** One request of a page, answered by the request pipeline: always, in time, and marked as its word. */
import { headers } from '#contract/headers.ts'
import { handleRequest } from '#request/pipeline/pipeline.ts'
import { storeAccess, createPorts } from './ports.ts'

/**
 * Longer than the request pipeline's own patience in its worst case (a lock, a renewal, a request, and once more), shorter than a
 * browser's with a worker (five minutes): what hangs beyond both, a database that another tab blocks above all, is a line
 * that failed.
 */
const maxResponseMs = 150_000

export async function respond(event: FetchEvent): Promise<Response> {
  const ports = createPorts(event)
  storeAccess(event.request.headers.get(headers.pageAccess))
  const timeout = ports.wait(maxResponseMs).then(() => Response.error())
  const response = await Promise.race([handleRequest(event.request, ports), timeout])
  // Without it the page knows that no pipeline saw its request, and walks it by itself (app/connection/api.ts).
  if (response.type !== 'error') response.headers.set(headers.workerBuild, __BUILD__)
  return response
}
