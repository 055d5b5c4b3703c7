/** Creates and removes the objects that the tasks of a service use: its network, secrets and list of apps. */
import { createHash, hkdfSync } from 'node:crypto'
import { HostingError, type InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import type { DockerHostingSettings } from '#server/drivers/hosting/docker/services/docker-settings.ts'
import { isConflict } from '#server/drivers/hosting/docker/engine/engine-client.ts'
import type { EngineApi } from '#server/drivers/hosting/docker/engine/engine-api.ts'
import {
  getFilters,
  getObjectLabels,
  getServiceName,
  type ObjectKind,
} from '#server/drivers/hosting/docker/engine/object-names.ts'
import type { RecordedApp } from '#server/drivers/hosting/docker/records/service-record.ts'
import {
  formatApps,
  type ObjectReference,
  type TaskObjects,
} from '#server/drivers/hosting/docker/services/build-service-spec.ts'
import { createServiceDatabase } from '#server/drivers/hosting/docker/storage/database.ts'

/** Limit of the engine for the content of a Swarm config, in bytes. */
const maxAppsBytes = 500_000

type ObjectSettings = Pick<DockerHostingSettings, 'prefix' | 'key' | 'storage'>

/** Different for each service and each installation. Whoever has the token of one service can control only that one. */
export const deriveControlToken = (settings: ObjectSettings, ref: InstanceRef): string =>
  deriveSecret(settings, 'control token', ref)

function deriveSecret({ key, prefix }: ObjectSettings, purpose: string, { serviceId }: InstanceRef): string {
  const info = `docker hosting, ${purpose}, ${prefix}, ${serviceId}`
  return Buffer.from(hkdfSync('sha256', key, '', info, 32)).toString('hex')
}

/** Name of the database and login of a service in PostgreSQL, where it is an identifier of at most 63 bytes. */
export const getDatabaseName = (prefix: string, { serviceId }: InstanceRef): string =>
  `${prefix.replaceAll(/[^a-z0-9]/g, '_')}_${serviceId}`

/**
 * Creates what is missing. The content decides the name, so that a changed secret or list of apps is a new object. `apps` is null for tasks
 * without apps.
 */
export async function ensureTaskObjects(
  api: EngineApi,
  settings: ObjectSettings,
  ref: InstanceRef,
  apps: readonly RecordedApp[] | null,
): Promise<TaskObjects> {
  const { prefix, storage } = settings
  const network = getServiceName(prefix, ref)
  await ensureNetwork(api, prefix, ref)
  const token = await ensureConfig(api, prefix, ref, 'token', deriveControlToken(settings, ref))
  const appsConfig = apps && (await ensureApps(api, prefix, ref, apps))
  if (storage.kind === 'volume') return { network, token, database: null, apps: appsConfig }
  const login = { name: getDatabaseName(prefix, ref), password: deriveSecret(settings, 'database password', ref) }
  const url = await createServiceDatabase(storage.url, login)
  const database = await ensureConfig(api, prefix, ref, 'database', url)
  return { network, token, database, apps: appsConfig }
}

async function ensureApps(
  api: EngineApi,
  prefix: string,
  ref: InstanceRef,
  apps: readonly RecordedApp[],
): Promise<ObjectReference> {
  const text = formatApps(apps)
  if (Buffer.byteLength(text) > maxAppsBytes)
    throw new HostingError('no_room', `the list of apps of the service ${ref.code} is too long`)
  return ensureConfig(api, prefix, ref, 'apps', text)
}

async function ensureNetwork(api: EngineApi, prefix: string, ref: InstanceRef): Promise<void> {
  const name = getServiceName(prefix, ref)
  if (await api.findNetwork(name)) return
  const options = {
    Name: name,
    CheckDuplicate: true,
    Driver: 'overlay',
    Attachable: false,
    Labels: getObjectLabels(prefix, 'network', ref),
  }
  await api.createNetwork(options).catch(ignoreConflict)
}

type ContentKind = ObjectKind & ('token' | 'apps' | 'database')

/** Name of a secret or a list of apps. The engine allows at most 64 characters. */
export function getContentName(prefix: string, ref: InstanceRef, kind: ContentKind, content: string): string {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12)
  return `${getServiceName(prefix, ref)}-${kind}-${hash}`
}

async function ensureConfig(
  api: EngineApi,
  prefix: string,
  ref: InstanceRef,
  kind: ContentKind,
  content: string,
): Promise<ObjectReference> {
  const objectKind = kind === 'apps' ? 'configs' : 'secrets'
  const name = getContentName(prefix, ref, kind, content)
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const config = await api.findConfig(objectKind, name)
    if (config) return { id: config.ID, name }
    const options = {
      Name: name,
      Labels: getObjectLabels(prefix, kind, ref),
      Data: Buffer.from(content).toString('base64'),
    }
    const id = await api.createConfig(objectKind, options).catch(ignoreConflict)
    if (id !== undefined) return { id, name }
  }
  throw new HostingError('unreachable', `could not create ${name}`)
}

/** Removes the network, the secrets and the lists of apps of a service. Objects that are in use stay; returns false then. */
export async function removeTaskObjects(api: EngineApi, prefix: string, { serviceId }: InstanceRef): Promise<boolean> {
  let isComplete = true
  const tryToRemove = async (remove: () => Promise<void>) => {
    try {
      await remove()
    } catch (error) {
      if (!isInUse(error)) throw error
      isComplete = false
    }
  }
  const ownFilters = getFilters(prefix, { serviceId })
  for (const secret of await api.listConfigs('secrets', ownFilters))
    await tryToRemove(() => api.removeConfig('secrets', secret.ID))
  for (const config of await api.listConfigs('configs', getFilters(prefix, { serviceId, kind: 'apps' })))
    await tryToRemove(() => api.removeConfig('configs', config.ID))
  for (const network of await api.listNetworks(ownFilters)) await tryToRemove(() => api.removeNetwork(network.Id))
  return isComplete
}

/** The engine answers 400, 403, 409 or 500 for an object in use, depending on its kind and version. */
export const isInUse = (error: unknown): boolean =>
  error instanceof Error && /in use|active endpoints/.test(error.message)

function ignoreConflict(error: unknown): undefined {
  if (isConflict(error)) return undefined
  throw error
}
