/**
 * Decides in which order the tasks of a service are tried: in turn, and those that could not be reached a moment ago last. Otherwise every
 * request would wait for the timeout of a lost node.
 */
import type { TaskEndpoint } from '#server/drivers/hosting/gateway/task-endpoint.ts'

/** Time in ms for which an endpoint is tried last after a failed connection. */
const avoidMs = 10_000
const maxFailures = 1000

export interface EndpointOrder {
  arrange(endpoints: readonly TaskEndpoint[]): TaskEndpoint[]
  /** Call it when no connection to the endpoint could be established. */
  markUnreachable(endpoint: TaskEndpoint): void
}

export function createEndpointOrder(clock: () => number = Date.now): EndpointOrder {
  let rotation = 0
  /** Epoch ms of the latest failed connection, by endpoint, oldest first. */
  const failedAt = new Map<string, number>()

  const wasUnreachable = (endpoint: TaskEndpoint) => {
    const time = failedAt.get(toKey(endpoint))
    return time !== undefined && Math.abs(clock() - time) < avoidMs
  }

  return {
    arrange(endpoints) {
      rotation = (rotation + 1) % 1_000_000
      if (failedAt.size === 0) return rotate(endpoints, rotation)
      const reachable = endpoints.filter((endpoint) => !wasUnreachable(endpoint))
      const unreachable = endpoints.filter(wasUnreachable)
      return [...rotate(reachable, rotation), ...rotate(unreachable, rotation)]
    },
    markUnreachable(endpoint) {
      failedAt.delete(toKey(endpoint))
      failedAt.set(toKey(endpoint), clock())
      for (const key of failedAt.keys()) {
        if (failedAt.size <= maxFailures) return
        failedAt.delete(key)
      }
    },
  }
}

const toKey = (endpoint: TaskEndpoint): string =>
  'socketPath' in endpoint ? endpoint.socketPath : `${endpoint.host} ${endpoint.port}`

function rotate<Item>(items: readonly Item[], count: number): Item[] {
  const first = items.length === 0 ? 0 : count % items.length
  return [...items.slice(first), ...items.slice(0, first)]
}
