/**
 * `services [rounds] [seed]`: kills and restarts a portal at random points of operations on hosted services. Each operation must end with a
 * reported state, running services must match the portal's state, nothing may run twice, and nothing may be left over.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pino from 'pino'
import { createLocalHosting, type LocalHosting } from '#server/drivers/hosting/local/local-hosting.ts'
import type { ServiceResponse } from '#server/use-cases/hosting/service-rows.ts'
import { startPortal } from '#tests/support/browser/browser.ts'
import { drawBetween, type Random, createRandom, pick } from '#tests/support/runner/random.ts'
import { createOutsideClient } from '#tests/support/server/outside-client.ts'
import { findProcesses, sampleProgram, findTasks } from '#tests/support/hosting/hosting.ts'

export async function run([rounds = '100', seed = String(Date.now() % 1_000_000)]: string[]): Promise<void> {
  console.log(`services: ${rounds} kills, seed ${seed}`)
  const { faults, outcomes } = await runKilledOperations(Number(rounds), createRandom(Number(seed)), (line) =>
    console.log(line),
  )
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
  created: ['update', 'reboot', 'configure', 'reset', 'remove', 'delete'],
  removed: ['create'],
} as const
type ServiceRequestKind = (typeof requestKinds)['created' | 'removed'][number]

const buildRequest = (
  kind: ServiceRequestKind,
  { id, contract_id }: ServiceResponse,
  random: Random,
): [string, string] => {
  switch (kind) {
    case 'create':
      return ['POST', `/api/aws/service?contractId=${contract_id}`]
    case 'update':
      return ['POST', `/api/aws/service/update/${id}`]
    case 'reboot':
      return ['POST', `/api/aws/reboot/${id}`]
    case 'configure': {
      const tasks = drawBetween(random, 0, 2)
      return ['POST', `/api/aws/changecfg?serviceId=${id}&task_runtime_memory=1000&task_desire_count=${tasks}`]
    }
    case 'reset':
      return ['POST', `/api/aws/resetpwd/${id}`]
    case 'remove':
      return ['DELETE', `/api/aws/service/remove/${id}`]
    case 'delete':
      return ['DELETE', `/api/aws/service/${id}`]
  }
}

export async function runKilledOperations(
  rounds: number,
  random: Random,
  report: (line: string) => void = () => undefined,
): Promise<KilledOperationsResult> {
  const portal = await startPortal({ HOSTING: 'local', ACCESS_SECONDS: '3600', REFRESH_IDLE_SECONDS: '3600' })
  const folder = join(portal.dataDir, 'hosting')
  const host = createLocalHosting({ folder, program: sampleProgram, log: pino({ level: 'silent' }) })
  const result: KilledOperationsResult = { faults: [], outcomes: {} }
  try {
    // Signs in as a user with the delete level.
    const staff = await createOutsideClient(portal)
    const createFaultReporter = (round: number, kind: string) => (line: string) =>
      result.faults.push(`${round} ${kind}: ${line}`)
    await waitUntilQuiet(staff, createFaultReporter(0, 'begin'))
    for (let round = 1; round <= rounds; round++) {
      const row = await readService(staff)
      const kind = row.system_status > 0 ? pick(random, requestKinds.created) : pick(random, requestKinds.removed)
      const [method, path] = buildRequest(kind, row, random)
      const startResponse = staff.send(path, { method })
      const ms = drawBetween(random, 0, 1500)
      await wait(ms)
      await portal.kill()
      const location = (await startResponse)?.headers.get('location') ?? null
      await portal.start()
      const outcome = location === null ? 'cut' : String(await waitForOutcome(staff, location))
      result.outcomes[outcome] = (result.outcomes[outcome] ?? 0) + 1
      report(`${round} ${kind} killed after ${ms} ms: ${outcome}`)
      const reportFault = createFaultReporter(round, kind)
      await waitUntilQuiet(staff, reportFault)
      await compareService({ staff, host, folder }, reportFault)
    }
  } finally {
    await host.close()
    await portal.close()
  }
  if (findProcesses(folder).length > 0) result.faults.push('processes still run after the end')
  return result
}

export type StaffClient = Awaited<ReturnType<typeof createOutsideClient>>

export async function readService({ send }: StaffClient): Promise<ServiceResponse> {
  const response = await send(`/api/aws/service?searchText=${code}`)
  if (!response) throw new Error('the list of services returned no response')
  const { data } = (await response.json()) as {
    data: ServiceResponse[]
  }
  const [row] = data
  if (!row) throw new Error(`${code} is not listed`)
  return row
}

/** Returns the final status of a long request. */
export async function waitForOutcome({ send }: StaffClient, location: string): Promise<number> {
  const deadline = Date.now() + 120_000
  for (;;) {
    const status = (await send(location))?.status ?? 0
    if (status !== 0 && status !== 202) return status
    if (Date.now() > deadline) return 0
    await wait(200)
  }
}

/** Waits until no operation is running and the health check has run. */
export async function waitUntilQuiet(staff: StaffClient, reportFault: (line: string) => void): Promise<void> {
  const deadline = Date.now() + 60_000
  for (;;) {
    const { operation, system_status: status, url } = await readService(staff)
    const isBroughtUp = url === null || url.includes('localhost')
    if (operation === null && isBroughtUp && status !== 1 && status !== 3) return
    if (Date.now() > deadline)
      return reportFault(`the service still changes after a minute: ${status}, ${operation?.kind ?? 'no operation'}`)
    await wait(200)
  }
}

async function compareService(
  { staff, host, folder }: { staff: StaffClient; host: LocalHosting; folder: string },
  reportFault: (line: string) => void,
): Promise<void> {
  const row = await readService(staff)
  const instance = { serviceId: row.id, code }
  const state = await host.look(instance)
  const taskCount = findTasks(folder).filter(({ command }) => command.includes(`${code}-${row.id}`)).length
  const stateText = `${row.system_status}, ${row.running_tasks} tasks, fault ${row.fault}`
  if (row.system_status === 0) {
    if (taskCount > 0 || state?.created)
      reportFault(`reported as removed, but exists: ${stateText}, ${taskCount} processes`)
    const isErased = row.erase_date === null
    if (isErased && existsSync(join(folder, 'instances', `${code}-${row.id}`)))
      reportFault('erased, but its folder exists')
    return
  }
  if (!state?.created) return reportFault(`reported as existing, but removed: ${stateText}`)
  const { tasks: count } = state.running ?? { tasks: 0 }
  const expectedCount = count === -1 ? 1 : count
  if (taskCount !== expectedCount) reportFault(`${taskCount} processes instead of ${expectedCount}: ${stateText}`)
  if (row.system_status === 5) reportFault(`the operation failed: ${stateText}`)
}
