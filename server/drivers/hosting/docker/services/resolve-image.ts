import { HostingError } from '#server/drivers/hosting/hosting-driver.ts'
import type { EngineApi, EngineImage } from '#server/drivers/hosting/docker/engine/engine-api.ts'
import type { RegistryLogin } from '#server/drivers/hosting/docker/engine/engine-client.ts'

/**
 * Returns the image with its digest, so that a tag that is moved later neither changes restarted tasks nor a rollback. An image that came
 * from no registry has no digest. Gets the image if this machine does not have it. Throws HostingError `no_image`.
 */
export async function resolveImage(api: EngineApi, name: string, registry: RegistryLogin | null): Promise<string> {
  let image = await api.findImage(name)
  if (!image) {
    await api.pullImage(name, registry)
    image = await api.findImage(name)
  }
  if (!image) throw new HostingError('no_image', `there is no image ${name}`)
  requireHealthCheck(name, image)
  return pinImage(name, image.RepoDigests ?? [])
}

function requireHealthCheck(name: string, { Config }: EngineImage): void {
  const test = Config?.Healthcheck?.Test ?? []
  if (test.length === 0 || test[0] === 'NONE')
    throw new HostingError('no_image', `the image ${name} has no HEALTHCHECK (see docs/instance.md)`)
}

/** `digests` are like `registry:5000/shop@sha256:...`. */
export function pinImage(name: string, digests: readonly string[]): string {
  if (name.includes('@')) return name
  const repository = name.replace(/:[^/:]+$/, '')
  const isOfRepository = (digest: string) => {
    const [digestRepository = ''] = digest.split('@')
    return digestRepository === repository || `docker.io/library/${repository}` === digestRepository
  }
  const digest = digests.find(isOfRepository)?.split('@')[1]
  return digest === undefined ? name : `${name}@${digest}`
}
