/** Responds to a page's request with the request pipeline, within a time limit. The response is marked with the worker's build. */
import { headers } from '#contract/headers.ts'
import { handleRequest } from '#request/pipeline/pipeline.ts'
import { storeAccess, createPorts } from './ports.ts'

/**
 * Maximum time for a response, in ms. It is longer than the worst case of the request pipeline (a lock, a renewal, a request, and one
 * retry) and shorter than a browser's limit for a worker (five minutes). A request that takes longer, usually because another tab blocks
 * the database, is treated as a lost connection.
 */
const maxResponseMs = 150_000

export async function respond(event: FetchEvent): Promise<Response> {
  const ports = createPorts(event)
  storeAccess(event.request.headers.get(headers.pageAccess))
  const timeout = ports.wait(maxResponseMs).then(() => Response.error())
  const response = await Promise.race([handleRequest(event.request, ports), timeout])
  // Without this header the page knows that no pipeline handled its request, and runs the pipeline itself (app/connection/api.ts).
  if (response.type !== 'error') response.headers.set(headers.workerBuild, __BUILD__)
  return response
}
