/** Builds the specifications of Swarm services. Only calculations. */
import type { InstanceAddress, InstanceConfig } from '#server/drivers/hosting/hosting-driver.ts'
import { healthRetries, startPeriodSeconds } from '#server/drivers/hosting/docker/engine/engine-api.ts'
import { getTaskCount } from '#server/drivers/hosting/machine-memory.ts'
import type {
  EngineService,
  EngineServiceSpec,
  EngineTaskTemplate,
} from '#server/drivers/hosting/docker/engine/engine-types.ts'
import {
  getMaintenanceName,
  getObjectLabels,
  getServiceName,
  labels,
} from '#server/drivers/hosting/docker/engine/object-names.ts'
import type { RecordedApp, SwarmRecord, TaskSetting } from '#server/drivers/hosting/docker/records/service-record.ts'

export const containerPort = 8080
const second = 1_000_000_000
const megabyte = 1024 * 1024
const firstUserId = 100_000
/** User ids are 31-bit numbers. */
const maxUserIds = 2_000_000_000
const secretFolder = '/run/secrets'
const appsPath = '/run/apps.json'

/** A secret or a Swarm config. */
export interface ObjectReference {
  id: string
  name: string
}

/** Objects that the tasks of a service use. */
export interface TaskObjects {
  network: string
  token: ObjectReference
  /** Null if the data is in a volume. */
  database: ObjectReference | null
  /** Null for a maintenance task: it has no apps, because their packages may be missing. */
  apps: ObjectReference | null
}

export interface SpecSettings {
  prefix: string
  healthSeconds: number
  address: InstanceAddress
  /** Labels and networks that the gateway needs. */
  gateway: { labels: Record<string, string>; networks: readonly string[] }
  /** Returns the memory limit in MB that a task gets. */
  getLimitMb: (config: InstanceConfig) => number
}

/** Each service has a user of its own, so that it cannot read the files of another one if a container is left. */
export const getUserId = (serviceId: number): number => firstUserId + (serviceId % maxUserIds)

/** Text of the file APPS_FILE (docs/instance.md). */
export const formatApps = (apps: readonly RecordedApp[]): string =>
  JSON.stringify(
    apps.map(({ code, name, version, module, flags, package: sha256 }) => ({
      code,
      name,
      version,
      module,
      flags,
      package: sha256,
    })),
  )

export function buildTaskTemplate(
  record: SwarmRecord,
  setting: TaskSetting,
  objects: TaskObjects,
  settings: SpecSettings,
  kind: 'service' | 'maintenance',
): EngineTaskTemplate {
  const { prefix, healthSeconds, address, gateway } = settings
  const limitMb = settings.getLimitMb(setting.config)
  const userId = String(getUserId(record.serviceId))
  const ownFile = (name: string) => ({ Name: name, UID: userId, GID: userId, Mode: 0o400 })
  const secrets = [{ ...toSecret(objects.token), File: ownFile('control-token') }]
  if (objects.database) secrets.push({ ...toSecret(objects.database), File: ownFile('database-url') })
  const memory = { MemoryBytes: limitMb * megabyte }
  return {
    ContainerSpec: {
      Image: setting.image,
      Labels: {
        ...getObjectLabels(prefix, kind, record),
        [labels.memory]: String(setting.config.memoryMb),
        [labels.tasks]: String(setting.config.tasks),
      },
      Env: [
        `PORT=${containerPort}`,
        `SERVICE_CODE=${record.code}`,
        `PUBLIC_URL=${address.url}`,
        `ADMIN_URL=${address.adminUrl}`,
        ...(objects.apps ? [`APPS_FILE=${appsPath}`] : []),
        `CONTROL_TOKEN_FILE=${secretFolder}/control-token`,
        objects.database ? `DATABASE_URL_FILE=${secretFolder}/database-url` : 'DATA_DIR=/data',
        `MEMORY_MB=${limitMb}`,
        'TASK_NUMBER={{.Task.Slot}}',
      ],
      User: `${userId}:${userId}`,
      ReadOnly: true,
      CapabilityDrop: ['ALL'],
      // Engines before 25.0 ignore this and need `no-new-privileges` in the settings of the daemon.
      Privileges: { NoNewPrivileges: true },
      StopGracePeriod: 30 * second,
      // `StartInterval` is ignored by engines before 25.0. They check the first time after the interval.
      Healthcheck: {
        Interval: healthSeconds * second,
        Timeout: 5 * second,
        StartPeriod: startPeriodSeconds * second,
        StartInterval: second,
        Retries: healthRetries,
      },
      Mounts: [
        { Type: 'tmpfs', Target: '/tmp', TmpfsOptions: { SizeBytes: 64 * megabyte, Mode: 0o1777 } },
        ...(objects.database
          ? []
          : [
              {
                Type: 'volume',
                Source: getServiceName(prefix, record),
                Target: '/data',
                VolumeOptions: { Labels: getObjectLabels(prefix, 'service', record) },
              },
            ]),
      ],
      Secrets: secrets,
      Configs: objects.apps
        ? [
            {
              ConfigID: objects.apps.id,
              ConfigName: objects.apps.name,
              File: { Name: appsPath, UID: userId, GID: userId, Mode: 0o400 },
            },
          ]
        : [],
    },
    Resources: {
      Limits: { ...memory, Pids: 512 },
      // A maintenance task must also start on a full machine.
      ...(kind === 'service' ? { Reservations: memory } : {}),
    },
    RestartPolicy: { Condition: 'any', Delay: 5 * second },
    Placement: record.node === null ? {} : { Constraints: [`node.id==${record.node}`] },
    Networks: [
      { Target: objects.network },
      ...(kind === 'service' ? gateway.networks : []).map((network) => ({ Target: network })),
    ],
    LogDriver: { Name: 'json-file', Options: { 'max-size': '10m', 'max-file': '3' } },
    ForceUpdate: setting.number,
  }
}

const toSecret = ({ id, name }: ObjectReference) => ({ SecretID: id, SecretName: name })

/**
 * Tasks are replaced one at a time, and the new task starts before the old one ends. With `canReturn` the Swarm returns to the previous
 * specification if a new task fails.
 */
const buildUpdateConfig = (canReturn: boolean) => ({
  UpdateConfig: {
    Parallelism: 1,
    Order: 'start-first',
    FailureAction: canReturn ? 'rollback' : 'continue',
    Monitor: 5 * second,
    MaxFailureRatio: 0,
  },
  RollbackConfig: { Parallelism: 1, Order: 'start-first', FailureAction: 'continue', Monitor: 5 * second },
})

const endpoint = {
  Mode: 'dnsrr',
  Ports: [{ Protocol: 'tcp', TargetPort: containerPort, PublishMode: 'host' }],
}

/**
 * Returns the specification of the tasks that the Swarm already has for this setting, so that running tasks are never replaced because the
 * portal builds specifications differently in the meantime.
 */
export function findTaskTemplate(service: EngineService | null, number: number): EngineTaskTemplate | null {
  for (const spec of [service?.Spec, service?.PreviousSpec])
    if (spec?.TaskTemplate.ForceUpdate === number) return spec.TaskTemplate
  return null
}

/** Number of tasks that should run now. */
export function getReplicas(record: SwarmRecord): number {
  const isActive = record.created && record.wanted === 'running' && record.pausedUntil === null
  return isActive && record.active ? getTaskCount(record.active.config) : 0
}

export function buildServiceSpec(
  record: SwarmRecord,
  template: EngineTaskTemplate,
  { prefix, gateway }: SpecSettings,
): EngineServiceSpec {
  const { deployment } = record
  return {
    Name: getServiceName(prefix, record),
    Labels: {
      ...gateway.labels,
      ...getObjectLabels(prefix, 'service', record),
      [labels.fence]: String(record.fence),
      [labels.revision]: String(record.revision),
    },
    TaskTemplate: template,
    Mode: { Replicated: { Replicas: getReplicas(record) } },
    ...buildUpdateConfig(deployment?.state === 'in_progress' && deployment.previous !== null),
    EndpointSpec: endpoint,
  }
}

export function buildMaintenanceSpec(
  record: SwarmRecord,
  template: EngineTaskTemplate,
  { prefix }: SpecSettings,
  expiresAt: number,
): EngineServiceSpec {
  return {
    Name: getMaintenanceName(prefix, record),
    Labels: {
      ...getObjectLabels(prefix, 'maintenance', record),
      [labels.expiry]: String(expiresAt),
    },
    TaskTemplate: template,
    Mode: { Replicated: { Replicas: 1 } },
    EndpointSpec: endpoint,
  }
}
