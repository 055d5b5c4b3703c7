/**
 * State of a process between start and exit, shared by its listeners and its health checks.
 *
 * - `running`: accepts requests.
 * - `draining`: got SIGTERM. It does everything as before, but is not ready, so that proxies send new requests to other nodes.
 * - `closing`: finishes active requests and refuses others.
 */
export interface Lifecycle {
  phase: 'running' | 'draining' | 'closing'
  /** Whether other nodes can serve the files of this node's client. Otherwise its pages could stay blank behind a load balancer. */
  isPublished: () => boolean
}

export const createLifecycle = (): Lifecycle => ({ phase: 'running', isPublished: () => true })
