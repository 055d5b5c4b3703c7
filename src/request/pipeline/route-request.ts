/** Routes a request in the worker. Synchronous, because the worker must decide before the event handler returns. */
import { isPipelineRequest } from '#request/pipeline/pipeline.ts'

/** `pipeline`: handled by the request pipeline. `files`: served from the precache if it is there. `through`: left to the browser. */
export type RequestRoute = 'pipeline' | 'files' | 'through'

type RoutedRequest = Pick<Request, 'method' | 'url' | 'headers' | 'cache' | 'mode'>

export function routeRequest(
  request: RoutedRequest,
  { origin, isBypassed }: { origin: string; isBypassed: boolean },
): RequestRoute {
  if (isBypassed) return 'through'
  // Developer tools send such requests. Fetched by a worker they fail; left to the browser they may succeed.
  if (request.cache === 'only-if-cached' && request.mode !== 'same-origin') return 'through'
  // A cache would answer a range request with the complete file.
  if (request.headers.has('range')) return 'through'
  return isPipelineRequest(request, origin) ? 'pipeline' : 'files'
}
