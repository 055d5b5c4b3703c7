/** The tasks of one instance: as many as are wanted, each started again when it ends, old ones replaced one after the other. */
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { InstanceFault, LogLine } from '#server/drivers/hosting/driver.ts'
import type { LogWriter } from '#server/drivers/hosting/local/log-writer.ts'
import { limitOf } from '#server/drivers/hosting/local/instances/machine-memory.ts'
import type { InstanceProgram } from '#server/drivers/hosting/local/instances/spawn-program.ts'
import { cacheFolder, endProcessesOf } from '#server/drivers/hosting/local/instances/user-isolation.ts'
import { restartDelay } from '#server/drivers/hosting/local/instances/restart-delay.ts'
import * as files from '#server/drivers/hosting/local/instances/files.ts'
import type { InstancePlace } from '#server/drivers/hosting/local/instances/place.ts'
import { isRunning } from '#server/drivers/hosting/local/process-identity.ts'
import { adoptTask, startTask, type Task, type TaskEvents } from '#server/drivers/hosting/local/instances/task.ts'

export interface TaskSetting {
  count: number
  active: files.ActiveSetting
}

export interface Tasks {
  all(): readonly Task[]
  healthy(): readonly Task[]
  fault(): InstanceFault | null
  /** Takes over those that an earlier supervisor has started, and starts what is missing. */
  adopt(): void
  /** Brings what runs to what is wanted. Does not wait for it. */
  reconcile(): void
  /** The same, at once: what ended before counts no more. */
  beginAnew(): void
  /** Resolves when nothing runs. */
  removeAll(): Promise<void>
  shutDown(): Promise<void>
  letGo(): void
}

const minuteMs = 60_000
/** How long it is said that a task used too much. */
const memoryFaultMs = 5 * minuteMs
/** So many ends within so long are a fault. */
const endsWindowMs = 2 * minuteMs
const maxEnds = 5
/** Replacing goes on with the next task, healthy or not, after so long. */
const replaceMs = 15_000

export function openTasks({
  place,
  log,
  wanted,
  record,
}: {
  place: InstancePlace
  log: LogWriter
  wanted: () => TaskSetting | null
  record: () => files.InstanceRecord | null
}): Tasks {
  const { ref, path, times } = place
  const say = (level: LogLine['level'], text: string) => log.write(level, text, { priority: 'lifecycle' })
  const running = new Map<number, Task>()
  const waiting = new Map<number, NodeJS.Timeout>()
  /** Epoch ms of ends that nobody asked for. */
  let ends: number[] = []
  let memoryAt = -Infinity
  let isReplacing = false
  let isClosed = false

  const all = () => [...running.values()].toSorted((a, b) => a.record.number - b.record.number)
  const healthy = () => all().filter((task) => task.healthy)
  const writeDown = (more: files.TaskRecord[] = []) =>
    files.writeTasks(path, [...all().map((task) => task.record), ...more])

  const events: TaskEvents = {
    changed: place.changed,
    unfit(task, why) {
      const { number, limitMb } = task.record
      if (why === 'memory') {
        memoryAt = Date.now()
        say('warn', `task ${number} used ${task.usedMb} MB of ${limitMb} MB and is replaced`)
      } else say('warn', `task ${number} does not answer and is replaced`)
      void task.remove(why)
      place.changed()
    },
    ended(task, words, isAbort) {
      const { number } = task.record
      running.delete(number)
      if (existsSync(path)) writeDown()
      tellEnd(task, words, isAbort)
      place.changed()
      if (!isClosed) reconcile()
    },
  }

  function tellEnd(task: Task, words: string, isAbort: boolean): void {
    const { number } = task.record
    const { removal } = task
    if (removal === 'stopped' || removal === 'replaced') return
    for (const line of words.split('\n').filter((text) => text.trim() !== ''))
      log.write('error', `task ${number}: ${line}`)
    if (removal === null) say('error', `task ${number} ended`)
    if (isAbort || words.includes('heap out of memory')) memoryAt = Date.now()
    ends = [...ends, Date.now()].slice(-10)
  }

  function start(number: number, { active }: TaskSetting): void {
    const now = record()
    const user = now?.user
    // A folder for each: once the task listens there, it is closed to its user.
    const folder = join(place.runFolder, `${ref.serviceId}-${number}-${randomBytes(3).toString('hex')}`)
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
      logs: files.taskLogs(path),
      data: files.dataFolder(path, now ?? {}),
      limitMb: limitOf(active.config),
      apps: active.apps,
    })
    const limitMb = limitOf(active.config)
    const write = (started: files.TaskRecord) => writeDown([started])
    const task = startTask(programOf(place, now ?? {}), { ...setting, limitMb }, argument, write, events, times)
    if (task) running.set(number, task)
    else startLater(number)
  }

  /** The more ends, the later. */
  function startLater(number: number): void {
    if (waiting.has(number) || isClosed) return
    const delay = restartDelay(recentEnds().length)
    const timer = setTimeout(() => {
      waiting.delete(number)
      const now = wanted()
      if (now && number <= now.count && !running.has(number) && !isClosed) startOrWait(number, now)
    }, delay)
    waiting.set(number, timer)
  }

  function startOrWait(number: number, now: TaskSetting): void {
    try {
      start(number, now)
    } catch (error) {
      ends = [...ends, Date.now()].slice(-10)
      say('error', `task ${number} could not be started: ${String(error)}`)
      startLater(number)
    }
    place.changed()
  }

  const recentEnds = () => ends.filter((time) => Date.now() - time < endsWindowMs)

  function reconcile(): void {
    const now = wanted()
    if (!now) return
    for (let number = 1; number <= now.count; number++) if (!running.has(number)) startLater(number)
    if (all().some((task) => isOld(task, now))) void replaceOld()
  }

  const isOld = ({ record: { active: setting, number, user }, removal }: Task, { count, active }: TaskSetting) =>
    removal === null && (setting !== active.number || number > count || user !== record()?.user)

  /** One after the other, each when another one answers, so that a service of two goes on. */
  async function replaceOld(): Promise<void> {
    if (isReplacing) return
    isReplacing = true
    try {
      for (;;) {
        const now = wanted()
        const old = now && all().find((task) => isOld(task, now))
        if (!now || !old || isClosed) return
        const isAlone = all().length === 1 && now.count <= 1
        const isExtra = old.record.number > now.count
        await until(() => wanted() === null || isAlone || isExtra || healthy().some((task) => task !== old))
        if (wanted() === null) return
        await old.remove('replaced')
        await until(() => wanted() === null || isAnswering(old.record.number))
      }
    } finally {
      isReplacing = false
    }
  }

  const isAnswering = (number: number) => number > (wanted()?.count ?? 0) || (running.get(number)?.healthy ?? false)

  async function until(isSo: () => boolean): Promise<void> {
    const deadline = Date.now() + replaceMs
    while (!isSo() && Date.now() < deadline && !isClosed) await wait(30)
  }

  function forgetEnds(): void {
    for (const timer of waiting.values()) clearTimeout(timer)
    waiting.clear()
    ends = []
    memoryAt = -Infinity
  }

  async function removeAll(): Promise<void> {
    forgetEnds()
    await Promise.all(all().map((task) => task.remove('stopped')))
    const user = record()?.user
    if (user !== undefined && place.users !== null) await endProcessesOf(user)
  }

  return {
    all,
    healthy,
    reconcile,
    removeAll,

    beginAnew() {
      forgetEnds()
      reconcile()
    },

    fault() {
      const now = Date.now()
      if (now - memoryAt < memoryFaultMs) return 'out_of_memory'
      if (recentEnds().length >= maxEnds) return 'keeps_ending'
      const tasks = all()
      return tasks.length > 0 && tasks.every(({ isMute }) => isMute) ? 'no_answer' : null
    },

    adopt() {
      const before = files.readTasks(path)
      for (const task of before) {
        if (isRunning(task)) running.set(task.number, adoptTask(task, events, times))
        else say('error', `task ${task.number} ended while nobody watched it`)
      }
      if (before.length > running.size) writeDown()
      const now = wanted()
      if (now) reconcile()
      // Nothing of it is to run: it was being stopped.
      else if (running.size > 0) void removeAll()
    },

    async shutDown() {
      isClosed = true
      await removeAll()
    },

    letGo() {
      isClosed = true
      for (const timer of waiting.values()) clearTimeout(timer)
      for (const task of running.values()) task.letGo()
    },
  }
}

/** With what its user needs of the environment: folders that it may write to. */
export function programOf(
  { program, path }: InstancePlace,
  record: Pick<files.InstanceRecord, 'user' | 'data'>,
): InstanceProgram {
  if (record.user === undefined) return program
  const data = files.dataFolder(path, record)
  return { ...program, env: { HOME: data, TMPDIR: data, NODE_COMPILE_CACHE: cacheFolder(path) } }
}
