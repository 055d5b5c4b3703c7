/**
 * Reads a record from the label of its Swarm config. Whoever administers the Swarm can change labels, so everything is checked: a record that
 * is not complete would make the states of all services unreadable, and one with another id would belong to another service.
 */
import type { EngineConfig } from '#server/drivers/hosting/docker/engine/engine-types.ts'
import { getServiceName, labels } from '#server/drivers/hosting/docker/engine/object-names.ts'
import type { SwarmRecord } from '#server/drivers/hosting/docker/records/service-record.ts'

type Check = (value: unknown) => boolean
type Fields = Record<string, unknown>

/** Returns null if the record is malformed, for example of a newer version of the portal, or if it is not that of its config's name. */
export function parseRecord(config: EngineConfig, prefix: string): SwarmRecord | null {
  try {
    const record: unknown = JSON.parse(config.Spec.Labels?.[labels.record] ?? '')
    if (!isRecord(record)) return null
    return config.Spec.Name === getServiceName(prefix, record as SwarmRecord) ? (record as SwarmRecord) : null
  } catch {
    return null
  }
}

const isText: Check = (value) => typeof value === 'string'
const isFlag: Check = (value) => typeof value === 'boolean'
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0
const isTime: Check = (value) => Number.isFinite(value)
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null
const isNullOr =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)
const isOneOf =
  (...texts: string[]): Check =>
  (value) =>
    texts.includes(value as string)
const hasFields =
  (checks: Record<string, Check>): Check =>
  (value) =>
    isFields(value) && Object.entries(checks).every(([name, check]) => check(value[name]))

/** A number of tasks of -1 leaves it to the platform. */
const isTaskCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= -1
const isConfig = hasFields({ memoryMb: isCount, tasks: isTaskCount })
const isApp = hasFields({
  code: isText,
  name: isText,
  version: isText,
  module: isText,
  flags: isFields,
  package: isNullOr(isText),
})
export const isAppList: Check = (value) => Array.isArray(value) && value.every(isApp)
const isSetting = hasFields({ number: isCount, fence: isCount, config: isConfig, apps: isAppList, image: isText })
const isDeployment = hasFields({
  fence: isCount,
  state: isOneOf('in_progress', 'completed', 'rolled_back'),
  number: isCount,
  previous: isNullOr(isSetting),
  fault: isNullOr(isText),
  earlierUpdate: isNullOr(isText),
  isGivenUp: isFlag,
})
const isRecord = hasFields({
  format: (value) => value === 1,
  serviceId: isCount,
  code: isText,
  name: isText,
  fence: isCount,
  revision: isCount,
  created: isFlag,
  erased: isOneOf('no', 'in_progress', 'yes'),
  hadData: isFlag,
  hasPassword: isFlag,
  wanted: isOneOf('running', 'stopped'),
  config: isConfig,
  apps: isAppList,
  active: isNullOr(isSetting),
  lastNumber: isCount,
  deployment: isNullOr(isDeployment),
  node: isNullOr(isText),
  pausedUntil: isNullOr(isTime),
})
