/** Whether our server can be reached, by the smallest answer that it has. */
import { headers } from '#contract/headers.ts'
import type { Ports } from '#request/ports.ts'

const usualMs = 3_000

/**
 * Our server numbers all its answers, whatever they say (what it tells of its health it tells its own machine only, S-86): a
 * login page in between does not.
 */
export async function isServerThere(
  ports: Pick<Ports, 'network' | 'origin' | 'wait'>,
  answerMs = usualMs,
): Promise<boolean> {
  const request = new Request(`${ports.origin}/health/live`, { cache: 'no-store', credentials: 'omit' })
  const answer = await Promise.race([ports.network(request).catch(() => null), ports.wait(answerMs).then(() => null)])
  return answer !== null && answer.status < 500 && answer.headers.has(headers.requestId)
}
