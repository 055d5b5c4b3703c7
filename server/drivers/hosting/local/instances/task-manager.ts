/** Keeps the wanted number of tasks running, restarts tasks that end, and replaces outdated ones one at a time. */
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { InstanceFault, InstanceLogLine } from '#server/drivers/hosting/hosting-driver.ts'
import type { LogWriter } from '#server/drivers/hosting/local/log-writer.ts'
import { getMemoryLimit } from '#server/drivers/hosting/machine-memory.ts'
import type { InstanceProgram } from '#server/drivers/hosting/local/instances/spawn-program.ts'
import { getCacheFolder, endUserProcesses } from '#server/drivers/hosting/local/instances/user-isolation.ts'
import { getRestartDelay } from '#server/drivers/hosting/local/instances/restart-delay.ts'
import * as files from '#server/drivers/hosting/local/instances/files.ts'
import type { InstanceContext } from '#server/drivers/hosting/local/instances/instance-context.ts'
import { isRunning } from '#server/drivers/hosting/local/process-identity.ts'
import { InstanceTask, startTask, type TaskEvents } from '#server/drivers/hosting/local/instances/task.ts'

export interface TaskPlan {
  count: number
  active: files.ActiveSetting
}

const minuteMs = 60_000
/** Time in ms for which a memory fault is reported. */
const memoryFaultMs = 5 * minuteMs
/** `maxEnds` unexpected ends of tasks within this time (in ms) are reported as a fault. */
const endsWindowMs = 2 * minuteMs
const maxEnds = 5
/** Maximum wait in ms for a healthy task at each step of a replacement. After that the replacement continues anyway. */
const replaceMs = 15_000

interface TaskManagerOptions {
  context: InstanceContext
  log: LogWriter
  getPlan: () => TaskPlan | null
  getRecord: () => files.InstanceRecord | null
}

export class TaskManager {
  readonly #options: TaskManagerOptions
  readonly #tasks = new Map<number, InstanceTask>()
  readonly #startTimers = new Map<number, NodeJS.Timeout>()
  /** Times of unexpected ends, in epoch ms. */
  #endTimes: number[] = []
  #memoryFaultAt = -Infinity
  #isReplacing = false
  #isClosed = false

  constructor(options: TaskManagerOptions) {
    this.#options = options
  }

  listTasks(): readonly InstanceTask[] {
    return [...this.#tasks.values()].toSorted((a, b) => a.record.number - b.record.number)
  }

  listHealthyTasks(): readonly InstanceTask[] {
    return this.listTasks().filter((task) => task.healthy)
  }

  getFault(): InstanceFault | null {
    if (Date.now() - this.#memoryFaultAt < memoryFaultMs) return 'out_of_memory'
    if (this.#countRecentEnds() >= maxEnds) return 'keeps_ending'
    const tasks = this.listTasks()
    return tasks.length > 0 && tasks.every(({ isUnresponsive }) => isUnresponsive) ? 'no_answer' : null
  }

  /** Takes over the tasks of an earlier supervisor and starts missing ones. */
  adopt(): void {
    const { context, getPlan } = this.#options
    const previousRecords = files.readTaskRecords(context.path)
    for (const task of previousRecords) {
      if (isRunning(task)) this.#tasks.set(task.number, new InstanceTask(task, this.#events, context.times))
      else this.#logEvent('error', `task ${task.number} ended while the supervisor was not running`)
    }
    if (previousRecords.length > this.#tasks.size) this.#writeRecords()
    if (getPlan()) this.reconcile()
    // The target state is stopped: the earlier supervisor ended before it had stopped all tasks.
    else if (this.#tasks.size > 0) void this.removeAll()
  }

  reconcile(): void {
    const plan = this.#options.getPlan()
    if (!plan) return
    for (let number = 1; number <= plan.count; number++) if (!this.#tasks.has(number)) this.#startLater(number)
    if (this.#findOutdated(plan)) void this.#replaceOutdated()
  }

  /** Starts missing tasks immediately, without the delay after earlier ends. */
  restart(): void {
    this.#forgetEnds()
    this.reconcile()
  }

  async removeAll(): Promise<void> {
    this.#forgetEnds()
    await Promise.all(this.listTasks().map((task) => task.remove('stopped')))
    const { context, getRecord } = this.#options
    const user = getRecord()?.user
    if (user !== undefined && context.users !== null) await endUserProcesses(user)
  }

  async shutDown(): Promise<void> {
    this.#isClosed = true
    await this.removeAll()
  }

  detach(): void {
    this.#isClosed = true
    this.#clearStartTimers()
    for (const task of this.#tasks.values()) task.detach()
  }

  readonly #events: TaskEvents = {
    onChange: () => this.#options.context.onChange(),
    onUnfit: (task, reason) => {
      const { number, limitMb } = task.record
      if (reason === 'memory') {
        this.#memoryFaultAt = Date.now()
        this.#logEvent('warn', `task ${number} used ${task.usedMb} MB of ${limitMb} MB and will be replaced`)
      } else this.#logEvent('warn', `task ${number} does not respond and will be replaced`)
      void task.remove(reason)
      this.#options.context.onChange()
    },
    onEnd: (task, errorOutput, isAbort) => {
      const { context } = this.#options
      this.#tasks.delete(task.record.number)
      if (existsSync(context.path)) this.#writeRecords()
      this.#recordEnd(task, errorOutput, isAbort)
      context.onChange()
      if (!this.#isClosed) this.reconcile()
    },
  }

  #recordEnd({ record: { number }, removalReason }: InstanceTask, errorOutput: string, isAbort: boolean): void {
    if (removalReason === 'stopped' || removalReason === 'replaced') return
    for (const line of errorOutput.split('\n').filter((text) => text.trim() !== ''))
      this.#options.log.write('error', `task ${number}: ${line}`)
    if (removalReason === null) this.#logEvent('error', `task ${number} ended`)
    if (isAbort || errorOutput.includes('heap out of memory')) this.#memoryFaultAt = Date.now()
    this.#addEnd()
  }

  #startLater(number: number): void {
    if (this.#startTimers.has(number) || this.#isClosed) return
    const timer = setTimeout(() => {
      this.#startTimers.delete(number)
      const plan = this.#options.getPlan()
      if (plan && number <= plan.count && !this.#tasks.has(number) && !this.#isClosed) this.#startNow(number, plan)
    }, getRestartDelay(this.#countRecentEnds()))
    this.#startTimers.set(number, timer)
  }

  #startNow(number: number, plan: TaskPlan): void {
    try {
      const task = this.#startTask(number, plan)
      if (task) this.#tasks.set(number, task)
      else this.#startLater(number)
    } catch (error) {
      this.#addEnd()
      this.#logEvent('error', `could not start task ${number}: ${String(error)}`)
      this.#startLater(number)
    }
    this.#options.context.onChange()
  }

  #startTask(number: number, { active }: TaskPlan): InstanceTask | null {
    const { context, getRecord } = this.#options
    const { ref, path } = context
    const record: Partial<files.InstanceRecord> = getRecord() ?? {}
    // Each task has a folder for its socket. Once the task listens, its user loses write access to the folder.
    const folder = join(context.runFolder, `${ref.serviceId}-${number}-${randomBytes(3).toString('hex')}`)
    mkdirSync(folder, { mode: 0o700 })
    if (record.user !== undefined) chownSync(folder, record.user, record.user)
    const socket = join(folder, 's')
    const limitMb = getMemoryLimit(active.config)
    return startTask(
      buildProgram(context, record),
      {
        number,
        since: Date.now(),
        socket,
        active: active.number,
        config: active.config,
        ...(record.user === undefined ? {} : { user: record.user }),
        limitMb,
      },
      JSON.stringify({
        ...ref,
        number,
        socket,
        folder: path,
        logs: files.getTaskLogFolder(path),
        data: files.getDataFolder(path, record),
        limitMb,
        apps: active.apps,
      }),
      (startedRecord) => this.#writeRecords([startedRecord]),
      this.#events,
      context.times,
    )
  }

  #findOutdated({ count, active }: TaskPlan): InstanceTask | undefined {
    const user = this.#options.getRecord()?.user
    return this.listTasks().find(
      ({ record, removalReason }) =>
        removalReason === null && (record.active !== active.number || record.number > count || user !== record.user),
    )
  }

  /**
   * Replaces outdated tasks one at a time. Waits some seconds for another healthy task first, so that a service with two tasks stays
   * available.
   */
  async #replaceOutdated(): Promise<void> {
    if (this.#isReplacing) return
    this.#isReplacing = true
    const { getPlan } = this.#options
    try {
      for (;;) {
        const plan = getPlan()
        const outdatedTask = plan && this.#findOutdated(plan)
        if (!plan || !outdatedTask || this.#isClosed) return
        const { number } = outdatedTask.record
        const canRemoveNow = number > plan.count || (this.listTasks().length === 1 && plan.count <= 1)
        await this.#waitUntil(
          () => getPlan() === null || canRemoveNow || this.listHealthyTasks().some((task) => task !== outdatedTask),
        )
        if (getPlan() === null) return
        await outdatedTask.remove('replaced')
        await this.#waitUntil(() => number > (getPlan()?.count ?? 0) || (this.#tasks.get(number)?.healthy ?? false))
      }
    } finally {
      this.#isReplacing = false
    }
  }

  async #waitUntil(isReached: () => boolean): Promise<void> {
    const deadline = Date.now() + replaceMs
    while (!isReached() && Date.now() < deadline && !this.#isClosed) await wait(30)
  }

  #addEnd(): void {
    this.#endTimes = [...this.#endTimes, Date.now()].slice(-10)
  }

  #countRecentEnds(): number {
    return this.#endTimes.filter((time) => Date.now() - time < endsWindowMs).length
  }

  #forgetEnds(): void {
    this.#clearStartTimers()
    this.#endTimes = []
    this.#memoryFaultAt = -Infinity
  }

  #clearStartTimers(): void {
    for (const timer of this.#startTimers.values()) clearTimeout(timer)
    this.#startTimers.clear()
  }

  #writeRecords(extraRecords: files.InstanceTaskRecord[] = []): void {
    const records = this.listTasks().map((task) => task.record)
    files.writeTaskRecords(this.#options.context.path, [...records, ...extraRecords])
  }

  #logEvent(level: InstanceLogLine['level'], text: string): void {
    this.#options.log.write(level, text, { priority: 'lifecycle' })
  }
}

/** Returns the program to run. Its environment contains only folders that the instance's user may write to. */
export function buildProgram(
  { program, path }: InstanceContext,
  record: Pick<files.InstanceRecord, 'user' | 'data'>,
): InstanceProgram {
  if (record.user === undefined) return program
  const data = files.getDataFolder(path, record)
  return { ...program, env: { HOME: data, TMPDIR: data, NODE_COMPILE_CACHE: getCacheFolder(path) } }
}
