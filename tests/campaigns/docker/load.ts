/**
 * 50 services with 100 containers on one machine: time until all run, how soon the list and the state of a service follow a change, and what
 * the idle portal process uses.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { pino } from 'pino'
import { deriveServiceKey } from '#server/composition/docker/open-docker-hosting.ts'
import { openDatabase } from '#server/db/open.ts'
import { insertService } from '#server/db/hosting/services.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import type { HostingDriver, InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import { createServiceClient, isSuccess, type ServiceClient } from '#tests/campaigns/docker/service-client.ts'
import { startPortal } from '#tests/support/browser/browser.ts'
import { openDockerHosting } from '#tests/support/docker/docker-hosting.ts'
import { type DockerSite, openDockerSite } from '#tests/support/docker/docker-site.ts'
import { createOutsideClient } from '#tests/support/server/outside-client.ts'
import { readFolderConfig } from '#tests/support/server/read-folder-config.ts'

const tasksPerService = 2
/** Limit of a task in MB. */
const taskMb = 100
const maxStalenessMs = 5000
const maxCpuPercent = 10
const idleSeconds = 60

/** Returns one line per missed limit. */
export async function runLoad(serviceCount: number, report: (line: string) => void): Promise<string[]> {
  const site = await openDockerSite()
  const failures: string[] = []
  // The prefix is claimed by the portal. Its own demo services are not created, because they would need more containers.
  const portal = await startPortal({ ...site.settings, SERVICE_SETUP: '0', SERVICE_HEALTH_SECONDS: '10' })
  try {
    await portal.stop()
    const config = await readFolderConfig({ DATA_DIR: portal.dataDir })
    const refs = await insertServices(config, serviceCount)
    const host = openDockerHosting(site, { key: deriveServiceKey(config.tokenKey), healthSeconds: 10 })
    const startedAt = performance.now()
    await startServices(host.driver, refs)
    const startMs = Math.round(performance.now() - startedAt)
    report(`${refs.length} services with ${refs.length * tasksPerService} containers run after ${startMs} ms`)
    await host.close()
    const containers = await countContainers(site)
    if (containers !== refs.length * tasksPerService) failures.push(`${containers} containers run`)

    await portal.start()
    const client = createServiceClient(await createOutsideClient(portal))
    await waitForAll(client, refs)
    report(
      `the list has all services online ${Math.round(performance.now() - startedAt) - startMs} ms after the start of the portal`,
    )
    for (const line of await measureStaleness(site, client, refs)) {
      report(line.text)
      if (line.ms > maxStalenessMs) failures.push(line.text)
    }
    await waitForAll(client, refs)
    const { cpuPercent, memoryMb } = await measureIdle(portal.pid())
    report(`the idle portal uses ${cpuPercent.toFixed(1)} % CPU and ${memoryMb} MB`)
    if (cpuPercent >= maxCpuPercent) failures.push(`the idle portal uses ${cpuPercent.toFixed(1)} % CPU`)
  } catch (error) {
    report(portal.output().slice(-4000))
    throw error
  } finally {
    await portal.close()
    await site.close()
  }
  return failures
}

async function insertServices(
  config: Awaited<ReturnType<typeof readFolderConfig>>,
  count: number,
): Promise<InstanceRef[]> {
  const database = await openDatabase(config, pino({ level: 'silent' }))
  try {
    const owner = { database, config, clock: Date.now }
    return await runInTransaction(owner, { role: 'portal_system' }, async (db) => {
      const company = await db.selectFrom('company').select('id').where('code', '=', 'acme').executeTakeFirstOrThrow()
      const refs: InstanceRef[] = []
      for (let number = 1; number <= count; number++) {
        const code = `load${number}`
        const row = { company_id: company.id, code, name: code, system_status: 2, task_desire_count: tasksPerService }
        const serviceId = await insertService(db, { ...row, create_time: 1, update_time: 1 })
        refs.push({ serviceId, code })
      }
      return refs
    })
  } finally {
    await database.close()
  }
}

/** Starts some services at a time, like the jobs of a portal. */
async function startServices(driver: HostingDriver, refs: readonly InstanceRef[]): Promise<void> {
  const waiting = [...refs]
  const startNext = async (): Promise<void> => {
    for (let ref = waiting.shift(); ref; ref = waiting.shift()) {
      const config = { memoryMb: taskMb, tasks: tasksPerService }
      await driver.prepare(ref, { name: ref.code, config }, { fence: 1 })
      await driver.start(ref, { fresh: false }, { fence: 1 })
    }
  }
  await Promise.all(Array.from({ length: 4 }, startNext))
  for (const deadline = Date.now() + 15 * 60_000; ; await wait(1000)) {
    const states = await driver.lookAll()
    const healthyCount = states.reduce((sum, { tasks }) => sum + tasks.filter(({ healthy }) => healthy).length, 0)
    if (healthyCount === refs.length * tasksPerService) break
    if (Date.now() > deadline) throw new Error(`only ${healthyCount} tasks are healthy`)
  }
  for (const ref of refs) await driver.switchOver(ref, { fence: 1 })
}

async function countContainers({ cluster, prefix }: DockerSite): Promise<number> {
  const filters = JSON.stringify({ label: [`portal.name=${prefix}`, 'portal.kind=service'], status: ['running'] })
  const lists = await Promise.all(cluster.nodes.map(({ docker }) => docker.listContainers({ filters })))
  return lists.flat().length
}

async function waitForAll(client: ServiceClient, refs: readonly InstanceRef[]): Promise<void> {
  for (const deadline = Date.now() + 120_000; ; await wait(200)) {
    const rows = await client.readAll()
    const codes = new Set(refs.map(({ code }) => code))
    const online = rows.filter(
      (row) => codes.has(row.code) && row.online === 1 && row.running_tasks === tasksPerService,
    )
    if (online.length === refs.length) return
    if (Date.now() > deadline) throw new Error(`the list has only ${online.length} services online`)
  }
}

interface Measurement {
  text: string
  ms: number
}

/** Time from a change in Docker until the list of the portal has it. */
async function measureStaleness(
  { cluster: { docker }, prefix }: DockerSite,
  client: ServiceClient,
  refs: readonly InstanceRef[],
): Promise<Measurement[]> {
  const results: Measurement[] = []
  const measure = async (description: string, code: string, isReached: Parameters<ServiceClient['waitForRow']>[2]) => {
    const { ms } = await client.waitForRow(code, description, isReached, 60_000)
    results.push({ ms, text: `${description}: in the list after ${ms} ms` })
  }
  const listContainers = async ({ serviceId }: InstanceRef) => {
    const label = [`portal.name=${prefix}`, `portal.service=${serviceId}`, 'portal.kind=service']
    return docker.listContainers({ filters: JSON.stringify({ label }) })
  }
  for (const ref of refs.slice(0, 3)) {
    const containers = await listContainers(ref)
    await Promise.all(containers.map(({ Id }) => docker.getContainer(Id).kill()))
    await measure('all containers of a service were killed', ref.code, ({ online }) => online === 0)
    await waitForHealthyTasks(listContainers, ref)
    await measure('its containers are healthy again', ref.code, ({ online }) => online === 1)
  }
  for (const ref of refs.slice(3, 5)) {
    const [container] = await listContainers(ref)
    await docker.getContainer(container?.Id ?? '').kill()
    await measure('one of two containers was killed', ref.code, (row) => row.running_tasks === 1)
  }
  const [scaledRef] = refs.slice(5)
  if (scaledRef) {
    const { serviceId, code } = scaledRef
    const path = `/api/aws/changecfg?serviceId=${serviceId}&task_runtime_memory=1000&task_desire_count=1`
    const configured = await client.operate('POST', path)
    const rebooted = await client.operate('POST', `/api/aws/reboot/${serviceId}`)
    if (!isSuccess(configured.status) || !isSuccess(rebooted.status))
      throw new Error(`the change to one container ended as ${configured.text} ${rebooted.text}`)
    await measure('the number of containers was changed', code, (row) => row.running_tasks === 1 && row.online === 1)
    await client.operate('POST', path.replace('count=1', 'count=2'))
    await client.operate('POST', `/api/aws/reboot/${serviceId}`)
  }
  return results
}

async function waitForHealthyTasks(
  listContainers: (ref: InstanceRef) => Promise<{ Status: string }[]>,
  ref: InstanceRef,
): Promise<void> {
  for (const deadline = Date.now() + 120_000; ; await wait(100)) {
    const containers = await listContainers(ref)
    if (containers.some(({ Status }) => Status.includes('(healthy)'))) return
    if (Date.now() > deadline) throw new Error(`no container of ${ref.code} became healthy again`)
  }
}

async function measureIdle(pid: number): Promise<{ cpuPercent: number; memoryMb: number }> {
  const before = readTicks(pid)
  await wait(idleSeconds * 1000)
  const ticksPerSecond = 100
  const cpuPercent = ((readTicks(pid) - before) / ticksPerSecond / idleSeconds) * 100
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return { cpuPercent, memoryMb: Math.round(Number(kilobytes) / 1024) }
}

/** Returns the used processor time in ticks, in user and kernel mode (proc(5)). */
function readTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}
