/** The tasks of one instance: as many as are wanted, each started again when it ends, old ones replaced one after the other. */
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { InstanceFault, InstanceLogLine } from '#server/drivers/hosting/hosting-driver.ts'
import type { LogWriter } from '#server/drivers/hosting/local/log-writer.ts'
import { getMemoryLimit } from '#server/drivers/hosting/local/instances/machine-memory.ts'
import type { InstanceProgram } from '#server/drivers/hosting/local/instances/spawn-program.ts'
import { getCacheFolder, endUserProcesses } from '#server/drivers/hosting/local/instances/user-isolation.ts'
import { getRestartDelay } from '#server/drivers/hosting/local/instances/restart-delay.ts'
import * as files from '#server/drivers/hosting/local/instances/files.ts'
import type { InstanceContext } from '#server/drivers/hosting/local/instances/instance-context.ts'
import { isRunning } from '#server/drivers/hosting/local/process-identity.ts'
import {
  adoptTask,
  startTask,
  type InstanceTask,
  type TaskEvents,
} from '#server/drivers/hosting/local/instances/task.ts'

export interface TaskPlan {
  count: number
  active: files.ActiveSetting
}

export interface TaskManager {
  listTasks(): readonly InstanceTask[]
  listHealthyTasks(): readonly InstanceTask[]
  getFault(): InstanceFault | null
  /** Takes over those that an earlier supervisor has started, and starts what is missing. */
  adopt(): void
  /** Brings what runs to what is wanted. Does not wait for it. */
  reconcile(): void
  /** The same, at once: what ended before counts no more. */
  restart(): void
  /** Resolves when nothing runs. */
  removeAll(): Promise<void>
  shutDown(): Promise<void>
  detach(): void
}

const minuteMs = 60_000
/** How long it is said that a task used too much. */
const memoryFaultMs = 5 * minuteMs
/** So many ends within so long are a fault. */
const endsWindowMs = 2 * minuteMs
const maxEnds = 5
/** Replacing goes on with the next task, healthy or not, after so long. */
const replaceMs = 15_000

export function openTaskManager({
  context,
  log,
  getPlan,
  getRecord,
}: {
  context: InstanceContext
  log: LogWriter
  getPlan: () => TaskPlan | null
  getRecord: () => files.InstanceRecord | null
}): TaskManager {
  const { ref, path, times } = context
  const logEvent = (level: InstanceLogLine['level'], text: string) => log.write(level, text, { priority: 'lifecycle' })
  const runningTasks = new Map<number, InstanceTask>()
  const startTimers = new Map<number, NodeJS.Timeout>()
  /** Epoch ms of ends that nobody asked for. */
  let endTimes: number[] = []
  let memoryFaultAt = -Infinity
  let isReplacing = false
  let isClosed = false

  const listTasks = () => [...runningTasks.values()].toSorted((a, b) => a.record.number - b.record.number)
  const listHealthyTasks = () => listTasks().filter((task) => task.healthy)
  const writeRecords = (extraRecords: files.InstanceTaskRecord[] = []) =>
    files.writeTaskRecords(path, [...listTasks().map((task) => task.record), ...extraRecords])

  const events: TaskEvents = {
    onChange: context.onChange,
    onUnfit(task, reason) {
      const { number, limitMb } = task.record
      if (reason === 'memory') {
        memoryFaultAt = Date.now()
        logEvent('warn', `task ${number} used ${task.usedMb} MB of ${limitMb} MB and is replaced`)
      } else logEvent('warn', `task ${number} does not answer and is replaced`)
      void task.remove(reason)
      context.onChange()
    },
    onEnd(task, errorOutput, isAbort) {
      const { number } = task.record
      runningTasks.delete(number)
      if (existsSync(path)) writeRecords()
      logEnd(task, errorOutput, isAbort)
      context.onChange()
      if (!isClosed) reconcile()
    },
  }

  function logEnd(task: InstanceTask, errorOutput: string, isAbort: boolean): void {
    const { number } = task.record
    const { removalReason } = task
    if (removalReason === 'stopped' || removalReason === 'replaced') return
    for (const line of errorOutput.split('\n').filter((text) => text.trim() !== ''))
      log.write('error', `task ${number}: ${line}`)
    if (removalReason === null) logEvent('error', `task ${number} ended`)
    if (isAbort || errorOutput.includes('heap out of memory')) memoryFaultAt = Date.now()
    endTimes = [...endTimes, Date.now()].slice(-10)
  }

  function start(number: number, { active }: TaskPlan): void {
    const currentRecord = getRecord()
    const user = currentRecord?.user
    // A folder for each: once the task listens there, it is closed to its user.
    const folder = join(context.runFolder, `${ref.serviceId}-${number}-${randomBytes(3).toString('hex')}`)
    mkdirSync(folder, { mode: 0o700 })
    if (user !== undefined) chownSync(folder, user, user)
    const socket = join(folder, 's')
    const setting = {
      number,
      since: Date.now(),
      socket,
      active: active.number,
      config: active.config,
      ...(user === undefined ? {} : { user }),
    }
    const argument = JSON.stringify({
      ...ref,
      number,
      socket,
      folder: path,
      logs: files.getTaskLogFolder(path),
      data: files.getDataFolder(path, currentRecord ?? {}),
      limitMb: getMemoryLimit(active.config),
      apps: active.apps,
    })
    const limitMb = getMemoryLimit(active.config)
    const write = (startedRecord: files.InstanceTaskRecord) => writeRecords([startedRecord])
    const task = startTask(
      buildProgram(context, currentRecord ?? {}),
      { ...setting, limitMb },
      argument,
      write,
      events,
      times,
    )
    if (task) runningTasks.set(number, task)
    else startLater(number)
  }

  /** The more ends, the later. */
  function startLater(number: number): void {
    if (startTimers.has(number) || isClosed) return
    const delay = getRestartDelay(getRecentEndTimes().length)
    const timer = setTimeout(() => {
      startTimers.delete(number)
      const plan = getPlan()
      if (plan && number <= plan.count && !runningTasks.has(number) && !isClosed) startOrWait(number, plan)
    }, delay)
    startTimers.set(number, timer)
  }

  function startOrWait(number: number, plan: TaskPlan): void {
    try {
      start(number, plan)
    } catch (error) {
      endTimes = [...endTimes, Date.now()].slice(-10)
      logEvent('error', `task ${number} could not be started: ${String(error)}`)
      startLater(number)
    }
    context.onChange()
  }

  const getRecentEndTimes = () => endTimes.filter((time) => Date.now() - time < endsWindowMs)

  function reconcile(): void {
    const plan = getPlan()
    if (!plan) return
    for (let number = 1; number <= plan.count; number++) if (!runningTasks.has(number)) startLater(number)
    if (listTasks().some((task) => isOutdated(task, plan))) void replaceOutdated()
  }

  const isOutdated = (
    { record: { active: setting, number, user }, removalReason }: InstanceTask,
    { count, active }: TaskPlan,
  ) => removalReason === null && (setting !== active.number || number > count || user !== getRecord()?.user)

  /** One after the other, each when another one answers, so that a service of two goes on. */
  async function replaceOutdated(): Promise<void> {
    if (isReplacing) return
    isReplacing = true
    try {
      for (;;) {
        const plan = getPlan()
        const outdatedTask = plan && listTasks().find((task) => isOutdated(task, plan))
        if (!plan || !outdatedTask || isClosed) return
        const isAlone = listTasks().length === 1 && plan.count <= 1
        const isExtra = outdatedTask.record.number > plan.count
        await waitUntil(
          () => getPlan() === null || isAlone || isExtra || listHealthyTasks().some((task) => task !== outdatedTask),
        )
        if (getPlan() === null) return
        await outdatedTask.remove('replaced')
        await waitUntil(() => getPlan() === null || isAnswering(outdatedTask.record.number))
      }
    } finally {
      isReplacing = false
    }
  }

  const isAnswering = (number: number) =>
    number > (getPlan()?.count ?? 0) || (runningTasks.get(number)?.healthy ?? false)

  async function waitUntil(isReached: () => boolean): Promise<void> {
    const deadline = Date.now() + replaceMs
    while (!isReached() && Date.now() < deadline && !isClosed) await wait(30)
  }

  function forgetEnds(): void {
    for (const timer of startTimers.values()) clearTimeout(timer)
    startTimers.clear()
    endTimes = []
    memoryFaultAt = -Infinity
  }

  async function removeAll(): Promise<void> {
    forgetEnds()
    await Promise.all(listTasks().map((task) => task.remove('stopped')))
    const user = getRecord()?.user
    if (user !== undefined && context.users !== null) await endUserProcesses(user)
  }

  return {
    listTasks,
    listHealthyTasks,
    reconcile,
    removeAll,

    restart() {
      forgetEnds()
      reconcile()
    },

    getFault() {
      const now = Date.now()
      if (now - memoryFaultAt < memoryFaultMs) return 'out_of_memory'
      if (getRecentEndTimes().length >= maxEnds) return 'keeps_ending'
      const tasks = listTasks()
      return tasks.length > 0 && tasks.every(({ isUnresponsive }) => isUnresponsive) ? 'no_answer' : null
    },

    adopt() {
      const previousRecords = files.readTaskRecords(path)
      for (const task of previousRecords) {
        if (isRunning(task)) runningTasks.set(task.number, adoptTask(task, events, times))
        else logEvent('error', `task ${task.number} ended while nobody watched it`)
      }
      if (previousRecords.length > runningTasks.size) writeRecords()
      const plan = getPlan()
      if (plan) reconcile()
      // Nothing of it is to run: it was being stopped.
      else if (runningTasks.size > 0) void removeAll()
    },

    async shutDown() {
      isClosed = true
      await removeAll()
    },

    detach() {
      isClosed = true
      for (const timer of startTimers.values()) clearTimeout(timer)
      for (const task of runningTasks.values()) task.detach()
    },
  }
}

/** With what its user needs of the environment: folders that it may write to. */
export function buildProgram(
  { program, path }: InstanceContext,
  record: Pick<files.InstanceRecord, 'user' | 'data'>,
): InstanceProgram {
  if (record.user === undefined) return program
  const data = files.getDataFolder(path, record)
  return { ...program, env: { HOME: data, TMPDIR: data, NODE_COMPILE_CACHE: getCacheFolder(path) } }
}
