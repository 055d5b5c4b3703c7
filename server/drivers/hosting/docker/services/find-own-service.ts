import { HostingError } from '#server/drivers/hosting/hosting-driver.ts'
import type { EngineService } from '#server/drivers/hosting/docker/engine/engine-types.ts'
import { labels } from '#server/drivers/hosting/docker/engine/object-names.ts'
import type { DockerContext } from '#server/drivers/hosting/docker/services/docker-context.ts'

/**
 * Returns null if there is no Swarm service of this name. Throws HostingError `unreachable` for one that somebody else has created: it must
 * neither be changed nor get the requests of a hosted service.
 */
export async function findOwnService(
  { api, settings }: Pick<DockerContext, 'api' | 'settings'>,
  name: string,
): Promise<EngineService | null> {
  const service = await api.findService(name)
  // The engine leaves empty labels out.
  const portal = (service?.Spec.Labels as Record<string, string> | undefined)?.[labels.portal]
  if (service === null || portal === settings.prefix) return service
  throw new HostingError(
    'unreachable',
    `the Swarm service ${name} does not belong to this portal, which needs its name: remove it with "docker service rm ${name}"`,
  )
}
