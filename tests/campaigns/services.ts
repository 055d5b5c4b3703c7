/**
 * `services [rounds] [seed] [local|docker|docker-database]`: kills and restarts a portal at random points of operations on a hosted service.
 * Each operation must end with a reported state, the running tasks must match the portal's state, nothing may run twice, the data must be
 * there, and nothing may be left over.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { StoredBackupRow } from '#contract/backups.ts'
import type { InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import type { ServiceResponse } from '#server/use-cases/hosting/service-rows.ts'
import { reportTotals } from '#tests/campaigns/nightly/totals.ts'
import { openDockerHost } from '#tests/campaigns/services/docker-host.ts'
import { type InspectedHost, openLocalHost } from '#tests/campaigns/services/inspected-host.ts'
import { type Portal, startPortal } from '#tests/support/browser/browser.ts'
import { drawBetween, type Random, createRandom, pick } from '#tests/support/runner/random.ts'
import { createOutsideClient } from '#tests/support/server/outside-client.ts'

const hostKinds = ['local', 'docker', 'docker-database'] as const
export type HostKind = (typeof hostKinds)[number]

export async function run([
  rounds = '100',
  seed = String(Date.now() % 1_000_000),
  hostKind = 'local',
]: string[]): Promise<void> {
  const kind = hostKinds.find((name) => name === hostKind)
  if (!kind) throw new Error(`there is no driver "${hostKind}": ${hostKinds.join(', ')}`)
  console.log(`services: ${rounds} kills on ${kind}, seed ${seed}`)
  const { faults, outcomes } = await runKilledOperations(
    Number(rounds),
    createRandom(Number(seed)),
    (line) => console.log(line),
    kind,
  )
  if (faults.length === 0) reportTotals({ 'kills of the server': Number(rounds) })
  for (const line of faults) console.log(line)
  console.log(`${JSON.stringify(outcomes)}, ${faults.length} faults`)
  process.exitCode = faults.length === 0 ? 0 : 1
}

export interface KilledOperationsResult {
  /** One line per fault. Empty if no fault was found. */
  faults: string[]
  /** Number of operations by the status of the last response. `cut` means that the kill came before the operation started. */
  outcomes: Record<string, number>
}

const code = 'acmetrade'

const requestKinds = {
  created: ['update', 'reboot', 'configure', 'reset', 'remove', 'delete', 'backup', 'restore'],
  removed: ['create'],
} as const
type ServiceRequestKind = (typeof requestKinds)['created' | 'removed'][number]

interface ServiceRequest {
  method: string
  path: string
  body?: object
}

function buildRequest(
  kind: ServiceRequestKind,
  { id, contract_id }: ServiceResponse,
  { random, backupId }: { random: Random; backupId: number },
): ServiceRequest {
  switch (kind) {
    case 'create':
      return { method: 'POST', path: `/api/aws/service?contractId=${contract_id}` }
    case 'update':
      return { method: 'POST', path: `/api/aws/service/update/${id}` }
    case 'reboot':
      return { method: 'POST', path: `/api/aws/reboot/${id}` }
    case 'configure': {
      const tasks = drawBetween(random, 0, 2)
      const query = `serviceId=${id}&task_runtime_memory=1000&task_desire_count=${tasks}`
      return { method: 'POST', path: `/api/aws/changecfg?${query}` }
    }
    case 'reset':
      return { method: 'POST', path: `/api/aws/resetpwd/${id}` }
    case 'remove':
      return { method: 'DELETE', path: `/api/aws/service/remove/${id}` }
    case 'delete':
      return { method: 'DELETE', path: `/api/aws/service/${id}` }
    case 'backup':
      return { method: 'POST', path: '/api/pdb/backup', body: { service_id: id, pdb_type: 'pdb2s3' } }
    case 'restore':
      return { method: 'POST', path: '/api/pdb/restore', body: { backup_id: backupId, service_id: id } }
  }
}

interface KillCampaign {
  portal: Portal
  host: InspectedHost
  staff: StaffClient
  random: Random
  report: (line: string) => void
  /** Names of the items that the service must have. */
  itemNames: readonly string[]
  /** Names of the items in each backup. */
  namesByBackup: Map<number, readonly string[]>
  result: KilledOperationsResult
}

export async function runKilledOperations(
  rounds: number,
  random: Random,
  report: (line: string) => void = () => undefined,
  hostKind: HostKind = 'local',
): Promise<KilledOperationsResult> {
  const result: KilledOperationsResult = { faults: [], outcomes: {} }
  let portal: Portal | null = null
  const getPortal = () => {
    if (portal === null) throw new Error('the portal was not started')
    return portal
  }
  const host =
    hostKind === 'local'
      ? openLocalHost(getPortal)
      : await openDockerHost(getPortal, hostKind === 'docker' ? 'volume' : 'database')
  try {
    portal = await startPortal({ ...host.settings, ACCESS_SECONDS: '3600', REFRESH_IDLE_SECONDS: '3600' })
    // Signs in as a user with the delete level.
    const staff = await createOutsideClient(portal)
    await waitUntilQuiet(staff, (line) => result.faults.push(`begin: ${line}`))
    const namesByBackup = new Map<number, readonly string[]>()
    const campaign: KillCampaign = { portal, host, staff, random, report, itemNames: [], namesByBackup, result }
    for (let round = 1; round <= rounds; round++) {
      // A token is valid for an hour.
      if (round % 20 === 0) campaign.staff = await createOutsideClient(portal)
      await playRound(campaign, round)
    }
    await deleteServices(campaign)
  } finally {
    await portal?.close()
    result.faults.push(...(await host.close()))
  }
  return result
}

const toRef = ({ id, code: serviceCode }: ServiceResponse): InstanceRef => ({ serviceId: id, code: serviceCode })

async function playRound(campaign: KillCampaign, round: number): Promise<void> {
  const { portal, host, staff, random, report, namesByBackup, result } = campaign
  const row = await readService(staff)
  const isCreated = row.system_status > 0
  const backupIds = [...namesByBackup.keys()]
  const kinds = requestKinds.created.filter((name) => name !== 'restore' || backupIds.length > 0)
  const kind = isCreated ? pick(random, kinds) : pick(random, requestKinds.removed)
  const reportFault = (line: string) => {
    result.faults.push(`${round} ${kind}: ${line}`)
    report(`${round} ${kind}: FAULT: ${line}`)
  }
  if (isCreated) {
    campaign.itemNames = [`row of round ${round}`, `another row of round ${round}`]
    await host.putItems(toRef(row), campaign.itemNames)
  }
  const backupId = kind === 'restore' ? pick(random, backupIds) : 0
  const { method, path, body } = buildRequest(kind, row, { random, backupId })
  const json = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const startResponse = staff.send(path, { method, ...json })
  // Most steps are short, and the last ones are only reached late.
  const ms = drawBetween(random, 0, random() < 0.5 ? Math.min(1500, host.maxDelayMs) : host.maxDelayMs)
  await wait(ms)
  await portal.kill()
  const location = (await startResponse)?.headers.get('location') ?? null
  await portal.start()
  const outcome = location === null ? 'cut' : String(await waitForOutcome(staff, location))
  result.outcomes[`${kind} ${outcome}`] = (result.outcomes[`${kind} ${outcome}`] ?? 0) + 1
  report(`${round} ${kind} killed after ${ms} ms: ${outcome}`)
  // A deletion has no content.
  if (!['200', '204', 'cut'].includes(outcome)) reportFault(`the operation ended as ${outcome}`)
  await waitUntilQuiet(staff, reportFault)
  await compareService(campaign, { kind, outcome }, reportFault)
  await compareItems(campaign, { kind, outcome, backupId, wasCreated: isCreated }, reportFault)
}

type FaultReporter = (line: string) => void

/** Whether a service is as a successful request promised. A request without a response may have had an effect. */
function isAsRequested(
  { kind, outcome }: Pick<RoundOutcome, 'kind' | 'outcome'>,
  { system_status: status, erase_date: eraseDate }: ServiceResponse,
): boolean {
  if (outcome !== '200' && outcome !== '204') return true
  if (kind === 'remove') return status === 0 && eraseDate !== null
  if (kind === 'delete') return status === 0 && eraseDate === null
  return status > 0
}

/** Whether a running service has the configured number of tasks. -1 lets the platform decide. */
const hasConfiguredTasks = ({
  system_status: status,
  needs_reboot: needsReboot,
  task_desire_count: configuredCount,
  running_tasks: runningCount,
}: ServiceResponse): boolean =>
  status === 0 || needsReboot || runningCount === configuredCount || (configuredCount === -1 && runningCount > 0)

/** Compares what was requested, what the portal reports and what really runs. */
async function compareService(
  { staff, host }: KillCampaign,
  round: Pick<RoundOutcome, 'kind' | 'outcome'>,
  reportFault: FaultReporter,
): Promise<void> {
  const deadline = Date.now() + 60_000
  for (;;) {
    const row = await readService(staff)
    const ref = toRef(row)
    const [taskCount, limitMb] = [await host.countTasks(ref), await host.readLimitMb(ref)]
    const { running_tasks: expectedCount, system_status: status, fault } = row
    const isErased = status === 0 && row.erase_date === null
    const remains = isErased ? await host.listRemains(ref) : []
    const allRefs = (await readServices(staff)).map(toRef)
    const faults = [
      ...(taskCount === (status === 0 ? 0 : expectedCount) ? [] : [`${taskCount} tasks instead of ${expectedCount}`]),
      ...(limitMb === null || limitMb === row.running_memory ? [] : [`${limitMb} MB instead of ${row.running_memory}`]),
      ...(isAsRequested(round, row) ? [] : ['the service is not as requested']),
      ...(hasConfiguredTasks(row) ? [] : [`${row.task_desire_count} tasks are configured`]),
      ...(status === 5 ? ['the operation failed'] : []),
      ...remains.map((object) => `is erased, but has ${object}`),
      ...(await host.listUnknown(allRefs)),
    ]
    if (faults.length === 0) return
    // The platform may need some time for the last changes.
    if (Date.now() < deadline) await wait(500)
    else return faults.forEach((line) => reportFault(`${line} (status ${status}, fault ${fault})`))
  }
}

interface RoundOutcome {
  kind: ServiceRequestKind
  outcome: string
  backupId: number
  wasCreated: boolean
}

async function compareItems(campaign: KillCampaign, round: RoundOutcome, reportFault: FaultReporter): Promise<void> {
  const { staff, host, namesByBackup } = campaign
  const row = await readService(staff)
  if (row.system_status === 0 && row.erase_date === null) {
    // Its backups stay, and can be restored after it was created again.
    campaign.itemNames = []
    return
  }
  if (round.kind === 'backup') await readNewBackups(campaign, row.id, reportFault)
  const restoredNames = namesByBackup.get(round.backupId)
  const expected =
    restoredNames === undefined
      ? [campaign.itemNames]
      : round.outcome === '200'
        ? [restoredNames]
        : [campaign.itemNames, restoredNames]
  const names = await host.readItems(toRef(row)).catch((error: unknown) => [String(error)])
  const match = expected.find((list) => JSON.stringify(list) === JSON.stringify(names))
  if (match === undefined) reportFault(`has the items ${names.join(', ')} instead of ${expected.join(' or ')}`)
  campaign.itemNames = match ?? names
}

/** Every backup that was requested in this round has the current items. A scheduled one may have those of an earlier round. */
async function readNewBackups(
  { staff, namesByBackup, itemNames }: KillCampaign,
  id: number,
  reportFault: FaultReporter,
): Promise<void> {
  const query = `serviceId=${id}&pdb_type=pdb2s3&results=50&page=1&sortField=id&sortOrder=desc`
  for (const deadline = Date.now() + 60_000; ; await wait(200)) {
    const backups = await readRows<StoredBackupRow>(staff, `/api/pdb/backup?${query}`)
    const isRunning = backups.some(({ state }) => state === 'running')
    if (isRunning && Date.now() < deadline) continue
    if (isRunning) reportFault('a backup still runs after a minute')
    for (const backup of backups)
      if (backup.state === 'done' && backup.cause === 'person' && !namesByBackup.has(backup.id))
        namesByBackup.set(backup.id, itemNames)
    return
  }
}

/** Deletes all services. After that nothing may exist but the records of their fences. */
async function deleteServices(campaign: KillCampaign): Promise<void> {
  const { staff, host, result } = campaign
  const rows = await readServices(staff)
  for (const { id, system_status: status, erase_date: eraseDate } of rows) {
    if (status === 0 && eraseDate === null) continue
    const response = await staff.send(`/api/aws/service/${id}`, { method: 'DELETE' })
    const location = response?.headers.get('location') ?? null
    const outcome = location === null ? `refused with ${response?.status}` : await waitForOutcome(staff, location)
    if (outcome !== 204 && outcome !== 200) result.faults.push(`end: the deletion of ${id} ended as ${outcome}`)
  }
  // A maintenance task stays for a minute.
  for (const deadline = Date.now() + 120_000; ; await wait(1000)) {
    const remains = await Promise.all(rows.map((row) => host.listRemains(toRef(row))))
    if (remains.flat().length === 0) return
    if (Date.now() > deadline)
      return void result.faults.push(...remains.flat().map((object) => `end: all is deleted, but there is ${object}`))
  }
}

/** Reads the first page of a list. While the portal is overloaded, it is asked again. */
async function readRows<Row>({ send }: StaffClient, path: string): Promise<Row[]> {
  for (const deadline = Date.now() + 60_000; ; await wait(500)) {
    const response = await send(path)
    const text = await response?.text().catch(() => null)
    if (response?.status === 200 && text) return (JSON.parse(text) as { data: Row[] }).data
    if (Date.now() > deadline) throw new Error(`${path} answered ${response?.status ?? 'nothing'}: ${text ?? ''}`)
  }
}

const readServices = (staff: StaffClient) => readRows<ServiceResponse>(staff, '/api/aws/service?results=50&page=1')

export type StaffClient = Awaited<ReturnType<typeof createOutsideClient>>

export async function readService(staff: StaffClient): Promise<ServiceResponse> {
  const [row] = await readRows<ServiceResponse>(staff, `/api/aws/service?searchText=${code}`)
  if (!row) throw new Error(`${code} is not listed`)
  return row
}

/** Statuses of a portal that is too busy to answer. They are never the outcome of an operation. */
const busyStatuses = [0, 429, 503]

/** Returns the final status of a long request. */
export async function waitForOutcome({ send }: StaffClient, location: string): Promise<number> {
  const deadline = Date.now() + 600_000
  for (;;) {
    const status = (await send(location))?.status ?? 0
    if (status !== 202 && !busyStatuses.includes(status)) return status
    if (Date.now() > deadline) return 0
    await wait(200)
  }
}

/** Waits until no operation is running and the health check has run. */
export async function waitUntilQuiet(staff: StaffClient, reportFault: (line: string) => void): Promise<void> {
  const deadline = Date.now() + 120_000
  for (;;) {
    const { operation, system_status: status, url } = await readService(staff)
    const isBroughtUp = url === null || url.includes('localhost')
    if (operation === null && isBroughtUp && status !== 1 && status !== 3) return
    if (Date.now() > deadline)
      return reportFault(`the service still changes after two minutes: ${status}, ${operation?.kind ?? 'no operation'}`)
    await wait(200)
  }
}
