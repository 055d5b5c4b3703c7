/**
 * What the worker does with a request, said at once and without looking anything up: a handler that waits before it
 * answers has not answered, and every request must come to something.
 */
import { takes } from '#request/pipeline/pipeline.ts'

/** pipeline: ours to answer. files: what the build put in the precache, if it is one of those. through: the browser's own. */
export type Way = 'pipeline' | 'files' | 'through'

type Asked = Pick<Request, 'method' | 'url' | 'headers' | 'cache' | 'mode'>

export function routeRequest(request: Asked, { origin, bypassed }: { origin: string; bypassed: boolean }): Way {
  if (bypassed) return 'through'
  // Developer tools ask so; fetched by a worker it fails, left to the browser it may not.
  if (request.cache === 'only-if-cached' && request.mode !== 'same-origin') return 'through'
  // A part of a file, which a cache would answer with the whole.
  if (request.headers.has('range')) return 'through'
  return takes(request, origin) ? 'pipeline' : 'files'
}
