import { StartProblem } from '#server/config/config.ts'
import type { NodeSettings } from '#server/config/node-config.ts'
import type { HealthListener } from '#server/http/health/health-listener.ts'

/** Opens the listener for health checks, or returns null if none is configured. Throws StartProblem if it cannot listen. */
export async function openHealth({ health }: Pick<NodeSettings, 'health'>): Promise<HealthListener | null> {
  if (health === null) return null
  // Loaded only if needed, because the start waits for it.
  const { openHealthListener } = await import('#server/http/health/health-listener.ts')
  try {
    return await openHealthListener(health)
  } catch (error) {
    throw toStartProblem(error, health)
  }
}

function toStartProblem(error: unknown, { host, port }: { host: string; port: number }): unknown {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'EADDRINUSE')
    return new StartProblem(
      `Port ${port} is in use: stop the program that uses it, or set HEALTH_PORT to another number.`,
    )
  if (code === 'EACCES')
    return new StartProblem(`This user is not allowed to use port ${port}: set HEALTH_PORT to another number.`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new StartProblem(
      `HEALTH_HOST ${host} is not an address of this machine: set HEALTH_HOST to one of its addresses.`,
    )
  return error
}
