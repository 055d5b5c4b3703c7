import { headers } from '#contract/headers.ts'
import type { PipelinePorts } from '#request/ports.ts'

const defaultTimeoutMs = 3_000

/**
 * Returns true if the portal responds within the timeout. Any status below 500 with a request id is enough, because only the server's own
 * host may read its health (S-86).
 */
export async function pingServer(
  ports: Pick<PipelinePorts, 'network' | 'origin' | 'wait'>,
  timeoutMs = defaultTimeoutMs,
): Promise<boolean> {
  const request = new Request(`${ports.origin}/health/live`, { cache: 'no-store', credentials: 'omit' })
  const response = await Promise.race([
    ports.network(request).catch(() => null),
    ports.wait(timeoutMs).then(() => null),
  ])
  return response !== null && response.status < 500 && response.headers.has(headers.requestId)
}
