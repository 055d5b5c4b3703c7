/**
 * What the worker does with a request, said at once and without looking anything up: a handler that waits before it
 * answers has not answered, and every request must come to something.
 */
import { isPipelineRequest } from '#request/pipeline/pipeline.ts'

/** pipeline: ours to answer. files: what the build put in the precache, if it is one of those. through: the browser's own. */
export type RequestRoute = 'pipeline' | 'files' | 'through'

type RoutedRequest = Pick<Request, 'method' | 'url' | 'headers' | 'cache' | 'mode'>

export function routeRequest(
  request: RoutedRequest,
  { origin, isBypassed }: { origin: string; isBypassed: boolean },
): RequestRoute {
  if (isBypassed) return 'through'
  // Developer tools ask so; fetched by a worker it fails, left to the browser it may not.
  if (request.cache === 'only-if-cached' && request.mode !== 'same-origin') return 'through'
  // A part of a file, which a cache would answer with the whole.
  if (request.headers.has('range')) return 'through'
  return isPipelineRequest(request, origin) ? 'pipeline' : 'files'
}
