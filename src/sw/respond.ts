/** One request of a page, answered by the request pipeline: always, in time, and marked as its word. */
import { headers } from '#contract/headers.ts'
import { handle } from '#request/pipeline/pipeline.ts'
import { noteAccess, portsFor } from './ports.ts'

/**
 * Longer than the request pipeline's own patience in its worst case (a lock, a renewal, a request, and once more), shorter than a
 * browser's with a worker (five minutes): what hangs beyond both, a database that another tab blocks above all, is a line
 * that failed.
 */
const latestMs = 150_000

export async function answer(event: FetchEvent): Promise<Response> {
  const ports = portsFor(event)
  noteAccess(event.request.headers.get(headers.pageAccess))
  const late = ports.wait(latestMs).then(() => Response.error())
  const response = await Promise.race([handle(event.request, ports), late])
  // Without it the page knows that no pipeline saw its request, and walks it by itself (app/connection/api.ts).
  if (response.type !== 'error') response.headers.set(headers.workerBuild, __BUILD__)
  return response
}
