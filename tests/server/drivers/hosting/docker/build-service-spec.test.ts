import { describe, expect, it } from 'vitest'
import {
  buildMaintenanceSpec,
  buildServiceSpec,
  buildTaskTemplate,
  findTaskTemplate,
  formatApps,
  getUserId,
} from '#server/drivers/hosting/docker/services/build-service-spec.ts'
import { startRecord } from '#server/drivers/hosting/docker/records/service-record.ts'
import type { EngineService } from '#server/drivers/hosting/docker/engine/engine-types.ts'
import { createRecord } from '#tests/server/drivers/hosting/docker/docker-fixture.ts'

const settings = {
  prefix: 'portal',
  healthSeconds: 5,
  address: { url: 'http://www.shop13.test/', adminUrl: 'http://admin.shop13.test/' },
  gateway: { labels: { 'traefik.enable': 'true' }, networks: ['proxy'] },
  getLimitMb: () => 512,
}
const objects = {
  network: 'portal-13',
  token: { id: 't1', name: 'portal-13-token-x' },
  database: null,
  apps: { id: 'a1', name: 'portal-13-apps-x' },
}
const record = startRecord(createRecord({ node: 'n1', config: { memoryMb: 300, tasks: 2 } }), {
  fresh: true,
  fence: 1,
  image: 'shop:1',
  earlierUpdate: null,
  isHealthy: true,
})
const setting = record.active
if (!setting) throw new Error('the record has no setting')

describe('the specification of a Swarm service', () => {
  it('isolates its tasks, and gives them what the instance contract needs', () => {
    const template = buildTaskTemplate(record, setting, objects, settings, 'service')
    expect(template.ContainerSpec).toMatchObject({
      Image: 'shop:1',
      User: '100013:100013',
      ReadOnly: true,
      CapabilityDrop: ['ALL'],
      Privileges: { NoNewPrivileges: true },
      StopGracePeriod: 30_000_000_000,
      Env: [
        'PORT=8080',
        'SERVICE_CODE=shop13',
        'PUBLIC_URL=http://www.shop13.test/',
        'ADMIN_URL=http://admin.shop13.test/',
        'APPS_FILE=/run/apps.json',
        'CONTROL_TOKEN_FILE=/run/secrets/control-token',
        'DATA_DIR=/data',
        'MEMORY_MB=512',
        'TASK_NUMBER={{.Task.Slot}}',
      ],
      Mounts: [
        { Type: 'tmpfs', Target: '/tmp' },
        { Type: 'volume', Source: 'portal-13', Target: '/data' },
      ],
      Secrets: [{ SecretID: 't1', File: { Name: 'control-token', UID: '100013', Mode: 0o400 } }],
      Labels: { 'portal.memory': '300', 'portal.tasks': '2' },
    })
    expect(template).toMatchObject({
      Resources: { Limits: { MemoryBytes: 536_870_912, Pids: 512 }, Reservations: { MemoryBytes: 536_870_912 } },
      Placement: { Constraints: ['node.id==n1'] },
      Networks: [{ Target: 'portal-13' }, { Target: 'proxy' }],
      ForceUpdate: 1,
    })
  })

  it('has the address of a database as a file, and no volume', () => {
    const database = { id: 'd1', name: 'portal-13-database-x' }
    const { ContainerSpec } = buildTaskTemplate(record, setting, { ...objects, database }, settings, 'service')
    expect(ContainerSpec.Env).toContain('DATABASE_URL_FILE=/run/secrets/database-url')
    expect(JSON.stringify(ContainerSpec)).not.toMatch(/DATA_DIR|"volume"/)
  })

  it('lets the Swarm return only to a setting that ran before', () => {
    const template = buildTaskTemplate(record, setting, objects, settings, 'service')
    const getAction = (current: typeof record) =>
      (buildServiceSpec(current, template, settings).UpdateConfig as { FailureAction: string }).FailureAction
    expect(getAction(record)).toBe('continue')
    const deployment = record.deployment && { ...record.deployment, previous: setting }
    expect(getAction({ ...record, deployment })).toBe('rollback')
  })

  it('has no tasks while the service is stopped, removed or gets other data', () => {
    const template = buildTaskTemplate(record, setting, objects, settings, 'service')
    const getReplicas = (current: typeof record) =>
      buildServiceSpec(current, template, settings).Mode.Replicated?.Replicas
    expect(getReplicas(record)).toBe(2)
    expect(getReplicas({ ...record, wanted: 'stopped' })).toBe(0)
    expect(getReplicas({ ...record, created: false })).toBe(0)
    expect(getReplicas({ ...record, pausedUntil: 1 })).toBe(0)
  })

  it('has the fence and the labels of the gateway, which cannot replace it', () => {
    const template = buildTaskTemplate(record, setting, objects, settings, 'service')
    const gateway = { labels: { 'traefik.enable': 'true', 'portal.fence': '0' }, networks: [] }
    expect(buildServiceSpec({ ...record, fence: 7 }, template, { ...settings, gateway }).Labels).toMatchObject({
      'traefik.enable': 'true',
      'portal.name': 'portal',
      'portal.service': '13',
      'portal.fence': '7',
    })
  })

  it('keeps the tasks that the Swarm already has for a setting, also those before a failed update', () => {
    const createSpec = (number: number) => ({
      TaskTemplate: { ContainerSpec: { Image: `${number}` }, ForceUpdate: number },
    })
    const service = { Spec: createSpec(2), PreviousSpec: createSpec(1) } as unknown as EngineService
    expect([1, 2, 3].map((number) => findTaskTemplate(service, number)?.ContainerSpec.Image)).toEqual([
      '1',
      '2',
      undefined,
    ])
    expect(findTaskTemplate(null, 1)).toBeNull()
  })

  it('of a maintenance task has no route, no reservation and an end', () => {
    const template = buildTaskTemplate(record, setting, { ...objects, apps: null }, settings, 'maintenance')
    const spec = buildMaintenanceSpec(record, template, settings, 1234)
    // Its packages may be missing, so it has no apps.
    expect(template.ContainerSpec).toMatchObject({ Configs: [] })
    expect(String(template.ContainerSpec['Env'])).not.toContain('APPS_FILE')
    expect(template.Resources?.Reservations).toBeUndefined()
    expect(template.Networks).toEqual([{ Target: 'portal-13' }])
    expect(spec.Labels).toMatchObject({ 'portal.kind': 'maintenance', 'portal.expiry': '1234' })
    expect(JSON.stringify(spec.Labels)).not.toContain('traefik')
  })

  it('has a user id within the range of the system for every service id', () => {
    expect([1, 13, Number.MAX_SAFE_INTEGER].map(getUserId).every((id) => id >= 100_000 && id < 2 ** 31)).toBe(true)
  })
})

it('writes the list of apps as docs/instance.md describes it', () => {
  const app = { code: 'pay', name: 'Pay', version: '1.0', module: 'crm', flags: { digits: 3 }, package: 'ab' }
  expect(JSON.parse(formatApps([{ ...app, extra: 'secret' } as typeof app]))).toEqual([app])
})
