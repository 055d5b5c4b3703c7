/**
 * `services [rounds] [seed]`: a portal that is killed at random points of operations on hosted services, and started again. Each
 * operation ends in a state that is said, what runs is what the portal says, nothing runs twice, and nothing is left behind.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pino from 'pino'
import { createLocalHosting, type LocalHosting } from '#server/drivers/hosting/local/driver.ts'
import type { ServiceAnswer } from '#server/use-cases/hosting/service-rows.ts'
import { startPortal } from '#tests/support/browser/browser.ts'
import { between, type Chance, chanceOf, pick } from '#tests/support/runner/chance.ts'
import { outsideClient } from '#tests/support/server/outside-client.ts'
import { processesOf, sampleProgram, tasksOf } from '#tests/support/hosting/hosting.ts'

export async function run([rounds = '100', seed = String(Date.now() % 1_000_000)]: string[]): Promise<void> {
  console.log(`services: ${rounds} kills, seed ${seed}`)
  const { wrong, ended } = await killedOperations(Number(rounds), chanceOf(Number(seed)), (line) => console.log(line))
  for (const line of wrong) console.log(line)
  console.log(`${JSON.stringify(ended)}, ${wrong.length} wrong`)
  process.exitCode = wrong.length === 0 ? 0 : 1
}

export interface Killed {
  /** In words, empty where all is well. */
  wrong: string[]
  /** How many operations ended how: by the status of the last answer, `cut` where the kill came before it was begun. */
  ended: Record<string, number>
}

/** Whose contract runs, and whose does not: the demo world's. */
const code = 'acmetrade'

/** Operations that a service which is there, or is not, can be asked for. */
const asks = {
  created: ['update', 'reboot', 'configure', 'reset', 'remove', 'delete'],
  gone: ['create'],
} as const
type Ask = (typeof asks)['created' | 'gone'][number]

const requestOf = (ask: Ask, { id, contract_id }: ServiceAnswer, chance: Chance): [string, string] => {
  switch (ask) {
    case 'create':
      return ['POST', `/api/aws/service?contractId=${contract_id}`]
    case 'update':
      return ['POST', `/api/aws/service/update/${id}`]
    case 'reboot':
      return ['POST', `/api/aws/reboot/${id}`]
    case 'configure': {
      const tasks = between(chance, 0, 2)
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

export async function killedOperations(
  rounds: number,
  chance: Chance,
  tell: (line: string) => void = () => undefined,
): Promise<Killed> {
  const portal = await startPortal({ HOSTING: 'local', ACCESS_SECONDS: '3600', REFRESH_IDLE_SECONDS: '3600' })
  const folder = join(portal.dataDir, 'hosting')
  const host = createLocalHosting({ folder, program: sampleProgram, log: pino({ level: 'silent' }) })
  const result: Killed = { wrong: [], ended: {} }
  try {
    // Of the delete level.
    const staff = await outsideClient(portal)
    const at = (round: number, ask: string) => (line: string) => result.wrong.push(`${round} ${ask}: ${line}`)
    await quiet(staff, at(0, 'begin'))
    for (let round = 1; round <= rounds; round++) {
      const row = await serviceOf(staff)
      const ask = row.system_status > 0 ? pick(chance, asks.created) : pick(chance, asks.gone)
      const [method, path] = requestOf(ask, row, chance)
      const begun = staff.send(path, { method })
      const ms = between(chance, 0, 1500)
      await wait(ms)
      await portal.kill()
      const location = (await begun)?.headers.get('location') ?? null
      await portal.start()
      const end = location === null ? 'cut' : String(await finalOf(staff, location))
      result.ended[end] = (result.ended[end] ?? 0) + 1
      tell(`${round} ${ask} killed after ${ms} ms: ${end}`)
      const wrong = at(round, ask)
      await quiet(staff, wrong)
      await compare({ staff, host, folder }, wrong)
    }
  } finally {
    await host.close()
    await portal.close()
  }
  if (processesOf(folder).length > 0) result.wrong.push('processes were left')
  return result
}

export type Staff = Awaited<ReturnType<typeof outsideClient>>

export async function serviceOf({ send }: Staff): Promise<ServiceAnswer> {
  const answer = await send(`/api/aws/service?searchText=${code}`)
  if (!answer) throw new Error('the list of services is not answered')
  const { data } = (await answer.json()) as {
    data: ServiceAnswer[]
  }
  const [row] = data
  if (!row) throw new Error(`${code} is not listed`)
  return row
}

/** The last word on a long request. */
export async function finalOf({ send }: Staff, location: string): Promise<number> {
  const deadline = Date.now() + 120_000
  for (;;) {
    const status = (await send(location))?.status ?? 0
    if (status !== 0 && status !== 202) return status
    if (Date.now() > deadline) return 0
    await wait(200)
  }
}

/** Until nothing is being done, and the health check has had its look. */
export async function quiet(staff: Staff, wrong: (line: string) => void): Promise<void> {
  const deadline = Date.now() + 60_000
  for (;;) {
    const { operation, system_status: status, url } = await serviceOf(staff)
    const isBroughtUp = url === null || url.includes('localhost')
    if (operation === null && isBroughtUp && status !== 1 && status !== 3) return
    if (Date.now() > deadline)
      return wrong(`not quiet within a minute: ${status}, ${operation?.kind ?? 'no operation'}`)
    await wait(200)
  }
}

/** What the portal says against what is there. */
async function compare(
  { staff, host, folder }: { staff: Staff; host: LocalHosting; folder: string },
  wrong: (line: string) => void,
): Promise<void> {
  const row = await serviceOf(staff)
  const ref = { serviceId: row.id, code }
  const state = await host.look(ref)
  const own = tasksOf(folder).filter(({ command }) => command.includes(`${code}-${row.id}`)).length
  const said = `${row.system_status}, ${row.running_tasks} tasks, fault ${row.fault}`
  if (row.system_status === 0) {
    if (own > 0 || state?.created) wrong(`said to be gone, and there: ${said}, ${own} processes`)
    const isErased = row.erase_date === null
    if (isErased && existsSync(join(folder, 'instances', `${code}-${row.id}`))) wrong('erased, and its folder is there')
    return
  }
  if (!state?.created) return wrong(`said to be there, and gone: ${said}`)
  const { tasks: count } = state.running ?? { tasks: 0 }
  const due = count === -1 ? 1 : count
  if (own !== due) wrong(`${own} processes where ${due} are due: ${said}`)
  if (row.system_status === 5) wrong(`it failed: ${said}`)
}
