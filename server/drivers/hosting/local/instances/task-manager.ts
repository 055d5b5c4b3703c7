/** Keeps the wanted number of tasks running, restarts tasks that end, and replaces outdated ones one at a time: the new one first, if the memory suffices. */
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { InstanceFault, InstanceLogLine } from '#server/drivers/hosting/hosting-driver.ts'
import type { LogWriter } from '#server/drivers/hosting/local/log-writer.ts'
import { getMemoryLimit, getTaskCount } from '#server/drivers/hosting/machine-memory.ts'
import type { InstanceProgram } from '#server/drivers/hosting/local/instances/spawn-program.ts'
import { getCacheFolder, endUserProcesses } from '#server/drivers/hosting/local/instances/user-isolation.ts'
import { getRestartDelay } from '#server/drivers/hosting/local/instances/restart-delay.ts'
import * as files from '#server/drivers/hosting/local/instances/files.ts'
import type { InstanceContext } from '#server/drivers/hosting/local/instances/instance-context.ts'
import { isRunning } from '#server/drivers/hosting/local/process-identity.ts'
import { TaskSet } from '#server/drivers/hosting/local/instances/task-set.ts'
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
/** Pause in ms between two checks whether a replacement can go on. */
const replacePauseMs = 50

interface TaskManagerOptions {
  context: InstanceContext
  log: LogWriter
  getPlan: () => TaskPlan | null
  getRecord: () => files.InstanceRecord | null
}

export class TaskManager {
  readonly #options: TaskManagerOptions
  readonly #tasks = new TaskSet()
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
    return this.#tasks.list()
  }

  listHealthyTasks(): readonly InstanceTask[] {
    return this.listTasks().filter((task) => task.healthy)
  }

  listSockets(): string[] {
    return this.#tasks.listAll().map((task) => task.record.socket)
  }

  /** Returns the number of healthy tasks of a setting. */
  countHealthy(settingNumber: number): number {
    const tasks = [...this.#tasks.list(), ...this.#tasks.listSuccessors()]
    return tasks.filter(({ healthy, record }) => healthy && record.active === settingNumber).length
  }

  isHealthy({ number, config }: files.ActiveSetting): boolean {
    return this.countHealthy(number) >= getTaskCount(config)
  }

  /** Returns the memory in MB of tasks that run in addition to the configured number, until they replace others. */
  getExtraMb(): number {
    const { allowanceMb } = this.#options.context.times
    return this.#tasks.listSuccessors().reduce((sum, { record }) => sum + record.limitMb + allowanceMb, 0)
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
      if (isRunning(task)) this.#tasks.add(new InstanceTask(task, this.#events, context.times))
      else this.#logEvent('error', `task ${task.number} ended while the supervisor was not running`)
    }
    const count = this.#tasks.listAll().length
    if (previousRecords.length > count) this.#writeRecords()
    if (getPlan()) this.reconcile()
    // The target state is stopped: the earlier supervisor ended before it had stopped all tasks.
    else if (count > 0) void this.removeAll()
  }

  reconcile(): void {
    const plan = this.#options.getPlan()
    if (!plan) return
    for (let number = 1; number <= plan.count; number++) if (!this.#tasks.get(number)) this.#startLater(number)
    for (const successor of this.#tasks.listSuccessors())
      if (this.#isOutdated(successor, plan)) void successor.remove('replaced')
    if (this.#findOutdated(plan)) void this.#replaceOutdated()
  }

  /** Starts missing tasks immediately, without the delay after earlier ends. */
  restart(): void {
    this.#forgetEnds()
    this.reconcile()
  }

  async removeAll(): Promise<void> {
    this.#forgetEnds()
    await Promise.all(this.#tasks.listAll().map((task) => task.remove('stopped')))
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
    for (const task of this.#tasks.listAll()) task.detach()
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
      this.#tasks.delete(task)
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
      if (plan && !this.#isClosed && this.#needsTask(number, plan)) this.#startNow(number, plan)
    }, getRestartDelay(this.#countRecentEnds()))
    this.#startTimers.set(number, timer)
  }

  #startNow(number: number, plan: TaskPlan): void {
    try {
      const task = this.#startTask(number, plan)
      if (task) this.#tasks.add(task)
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

  /** Whether the number has no task, or an outdated one whose successor has memory beside it. */
  #needsTask(number: number, plan: TaskPlan): boolean {
    const task = this.#tasks.get(number)
    if (number > plan.count || this.#tasks.getSuccessor(number)) return false
    return !task || (this.#isOutdated(task, plan) && this.#canStartFirst(plan))
  }

  #canStartFirst({ active }: TaskPlan): boolean {
    const { context } = this.#options
    return context.hasFreeMemory(getMemoryLimit(active.config) + context.times.allowanceMb)
  }

  #isOutdated({ record }: InstanceTask, { count, active }: TaskPlan): boolean {
    const user = this.#options.getRecord()?.user
    return record.active !== active.number || record.number > count || user !== record.user
  }

  #findOutdated(plan: TaskPlan): InstanceTask | undefined {
    return this.listTasks().find((task) => task.removalReason === null && this.#isOutdated(task, plan))
  }

  async #replaceOutdated(): Promise<void> {
    if (this.#isReplacing) return
    this.#isReplacing = true
    try {
      for (;;) {
        const plan = this.#options.getPlan()
        const outdatedTask = plan && this.#findOutdated(plan)
        if (!plan || !outdatedTask || this.#isClosed) return
        await this.#continueReplacement(outdatedTask, plan)
      }
    } finally {
      this.#isReplacing = false
    }
  }

  /** A healthy task ends only when its successor is healthy, or when there is no memory for both at the same time. */
  async #continueReplacement(task: InstanceTask, plan: TaskPlan): Promise<void> {
    const { number } = task.record
    const successor = this.#tasks.getSuccessor(number)
    if (successor?.healthy && !this.#isOutdated(successor, plan))
      return await this.#tasks.promote(number, () => {
        this.#writeRecords()
        this.#options.context.onChange()
      })
    if (!successor && this.#canEndNow(task, plan)) return await task.remove('replaced')
    if (this.#needsTask(number, plan)) this.#startLater(number)
    await wait(replacePauseMs)
  }

  #canEndNow(task: InstanceTask, plan: TaskPlan): boolean {
    const { number, active } = task.record
    if (plan.count === 0) return true
    const isRolledBack = active > plan.active.number
    if (!task.healthy && (isRolledBack || !task.isStarting())) return true
    if (number <= plan.count && this.#canStartFirst(plan)) return false
    const numbers = Array.from({ length: plan.count }, (_, index) => index + 1)
    return numbers.every((other) => {
      const otherTask = this.#tasks.get(other)
      if (!otherTask) return false
      // A surplus task ends last. Other tasks end one after the other: those that were replaced before must be healthy.
      return this.#isOutdated(otherTask, plan) ? number <= plan.count : otherTask.healthy
    })
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
    const records = this.#tasks.listAll().map((task) => task.record)
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
