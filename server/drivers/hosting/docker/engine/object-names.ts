/** Names and labels of all objects in the Swarm that belong to the services of a portal. */
import { HostingError, type InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'

export const labels = {
  /** Prefix of the portal, on all objects. */
  portal: 'portal.name',
  kind: 'portal.kind',
  service: 'portal.service',
  code: 'portal.code',
  /** Fence of the latest operation that changed the object. */
  fence: 'portal.fence',
  record: 'portal.record',
  /** Revision of the record that the object was changed to. */
  revision: 'portal.revision',
  /** Epoch ms after which a maintenance service is removed. */
  expiry: 'portal.expiry',
  /** Set before a service is removed, so that nobody else uses it in the meantime. */
  removal: 'portal.removal',
  /** Configuration with which a task was started: memory in MB as requested, and number of tasks. */
  memory: 'portal.memory',
  tasks: 'portal.tasks',
} as const

export type ObjectKind = 'record' | 'service' | 'maintenance' | 'apps' | 'token' | 'database' | 'network'

export const getServiceName = (prefix: string, { serviceId }: Pick<InstanceRef, 'serviceId'>): string =>
  `${prefix}-${serviceId}`
export const getMaintenanceName = (prefix: string, ref: Pick<InstanceRef, 'serviceId'>): string =>
  `${getServiceName(prefix, ref)}-maintenance`

export function getObjectLabels(
  prefix: string,
  kind: ObjectKind,
  { serviceId, code }: InstanceRef,
): Record<string, string> {
  return { [labels.portal]: prefix, [labels.kind]: kind, [labels.service]: String(serviceId), [labels.code]: code }
}

/** Filters for objects of this portal, also of one service or one kind. */
export function getFilters(
  prefix: string,
  { kind, serviceId }: { kind?: ObjectKind; serviceId?: number } = {},
): { label: string[] } {
  const label = [`${labels.portal}=${prefix}`]
  if (kind) label.push(`${labels.kind}=${kind}`)
  if (serviceId !== undefined) label.push(`${labels.service}=${serviceId}`)
  return { label }
}

const codePattern = /^[a-z][a-z0-9]{2,15}$/

/** The code and the id become parts of names and host names. Throws HostingError `no_instance`. */
export function requireInstanceRef({ code, serviceId }: InstanceRef): InstanceRef {
  if (typeof code === 'string' && codePattern.test(code) && Number.isSafeInteger(serviceId) && serviceId > 0)
    return { code, serviceId }
  throw new HostingError('no_instance', 'the code or the id of the service is invalid')
}
