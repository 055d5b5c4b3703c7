/** Whether our server can be reached, by the smallest answer that it has. */
import { headers } from '#contract/headers.ts'
import type { PipelinePorts } from '#request/ports.ts'

const defaultTimeoutMs = 3_000

/**
 * Our server numbers all its answers, whatever they say (what it tells of its health it tells its own machine only, S-86): a
 * login page in between does not.
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
