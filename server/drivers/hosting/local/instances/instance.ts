/**
 * One service: what is to be is written down before anything is done about it, and what runs is brought to it, again after every
 * change and every end of a task. Calls that change it wait for each other.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  HostingError,
  type InstanceAddress,
  type InstanceApp,
  type InstanceConfig,
  type InstanceRef,
  type InstanceState,
  type InstanceLogLine,
  type HostingOperation,
} from '#server/drivers/hosting/hosting-driver.ts'
import { syncFolder } from '#server/drivers/hosting/local/atomic-file.ts'
import { getTaskCount, calculateNeededMemory } from '#server/drivers/hosting/local/instances/machine-memory.ts'
import { getDraftPath, removeStaleDrafts } from '#server/drivers/hosting/local/instances/draft-folders.ts'
import type { ErasedFences } from '#server/drivers/hosting/local/instances/erased-fences.ts'
import { installApps, removeUnusedApps } from '#server/drivers/hosting/local/instances/install-apps.ts'
import * as files from '#server/drivers/hosting/local/instances/files.ts'
import { logDayBytes, openLogWriter } from '#server/drivers/hosting/local/log-writer.ts'
import type { InstanceContext } from '#server/drivers/hosting/local/instances/instance-context.ts'
import { chownTree, assignToUser, shareApps } from '#server/drivers/hosting/local/instances/user-isolation.ts'
import { setInstancePassword } from '#server/drivers/hosting/local/instances/set-password.ts'
import { openTaskManager, buildProgram, type TaskPlan } from '#server/drivers/hosting/local/instances/task-manager.ts'
import type { InstanceTask } from '#server/drivers/hosting/local/instances/task.ts'

export interface HostedInstance {
  readonly ref: InstanceRef
  /** Null: nothing is known of it. */
  getState(): InstanceState | null
  /** Of those, the gateway takes one after the other. */
  listHealthyTasks(): readonly InstanceTask[]
  shouldRun(): boolean
  /** MB that it may use, with what is configured for its next start; 0: it is not to run. */
  getReservedMb(): number
  /** Paths of its tasks' sockets. */
  listSockets(): string[]
  prepare(
    spec: { name: string; config: InstanceConfig },
    operation: HostingOperation,
  ): Promise<{ address: InstanceAddress; hadData: boolean }>
  install(apps: readonly InstanceApp[], operation: HostingOperation): Promise<void>
  configure(config: InstanceConfig, operation: HostingOperation): Promise<void>
  start(options: { fresh: boolean }, operation: HostingOperation): Promise<void>
  stop(operation: HostingOperation): Promise<void>
  setPassword(password: string, operation: HostingOperation): Promise<void>
  /** Of the draft of that name, in place of what it has. */
  takeData(draftName: string, operation: HostingOperation): Promise<void>
  remove(operation: HostingOperation): Promise<void>
  erase(operation: HostingOperation): Promise<void>
  /** Ends what runs, and leaves written down that it is to run. */
  shutDown(): Promise<void>
  /** Watches no more; what runs goes on. */
  detach(): void
}

export function openInstance(context: InstanceContext, erasedFences: ErasedFences): HostedInstance {
  const { ref, path } = context
  let record = files.readInstanceRecord(path)
  const log = openLogWriter(files.getHostLogFolder(path), 0, { dayBytes: logDayBytes.host, keepFileOpen: false })
  const logEvent = (level: InstanceLogLine['level'], text: string) => log.write(level, text, { priority: 'lifecycle' })
  /** Nothing runs while its data is exchanged. */
  let isReplacingData = false
  const tasks = openTaskManager({ context, log, getPlan: getTaskPlan, getRecord: () => record })
  if (record) {
    if (record.user !== undefined) context.users?.markClaimed(record.user)
    const newRecord = withUser(record)
    if (newRecord.user !== record.user) writeRecord(newRecord)
    files.removeUnusedDataFolders(path, record)
    removeStaleDrafts(path)
    tasks.adopt()
  }

  let lastOperation: Promise<unknown> = Promise.resolve()
  /** One after the other; the first thing each does is to look whether it was overtaken. */
  function runInTurn<T>({ fence }: HostingOperation, work: () => Promise<T> | T): Promise<T> {
    const queuedRun = lastOperation.then(() => {
      if (fence < (record?.fence ?? erasedFences.get(ref.serviceId)))
        throw new HostingError('overtaken', `operation ${fence} was overtaken`)
      return work()
    })
    lastOperation = queuedRun.catch(() => undefined)
    return queuedRun.finally(context.onChange)
  }

  /** Its files become its user's, or what they were before users were given is left as it is. */
  function withUser({ user, ...recordWithoutUser }: files.InstanceRecord): files.InstanceRecord {
    if (context.users === null) return recordWithoutUser
    if (user !== undefined) return { ...recordWithoutUser, user }
    const claimedUser = context.users.claim()
    files.makeInstanceFolders(path, recordWithoutUser)
    assignToUser(path, recordWithoutUser, claimedUser)
    return { ...recordWithoutUser, user: claimedUser }
  }

  function writeRecord(newRecord: files.InstanceRecord): void {
    files.writeInstanceRecord(path, newRecord)
    record = newRecord
  }

  function requireRecord(): files.InstanceRecord {
    if (!record?.created) throw new HostingError('no_instance', `there is no service ${ref.code}`)
    return record
  }

  const getNeededMb = (config: InstanceConfig) => calculateNeededMemory(config, context.times.allowanceMb)

  function getTaskPlan(): TaskPlan | null {
    if (isReplacingData || !record?.created || record.wanted !== 'running' || !record.active) return null
    return { count: getTaskCount(record.active.config), active: record.active }
  }

  return {
    ref,
    listHealthyTasks: tasks.listHealthyTasks,
    shouldRun: () => (getTaskPlan()?.count ?? 0) > 0,
    getReservedMb() {
      if (!record?.created || record.wanted !== 'running' || !record.active) return 0
      return Math.max(getNeededMb(record.active.config), getNeededMb(record.config))
    },
    listSockets: () => tasks.listTasks().map((task) => task.record.socket),
    detach: tasks.detach,
    shutDown: tasks.shutDown,

    getState() {
      if (!record) return null
      const runningTasks = tasks.listTasks().filter(({ removalReason }) => removalReason === null)
      const oldestTask = runningTasks.toSorted((a, b) => a.record.since - b.record.since)[0]
      return {
        ...ref,
        created: record.created,
        wanted: record.wanted,
        config: record.config,
        active: getTaskPlan()?.active.config ?? null,
        running: oldestTask?.record.config ?? null,
        apps: record.apps.map(({ code, version }) => ({ code, version })),
        tasks: runningTasks.map((task) => ({
          number: task.record.number,
          started: task.record.since,
          limitMb: task.record.limitMb,
          usedMb: task.usedMb,
          healthy: task.healthy,
        })),
        healthy: runningTasks.some(({ healthy }) => healthy),
        fault: getTaskPlan() ? tasks.getFault() : null,
        address: context.getAddress(),
      }
    },

    prepare: ({ name, config }, operation) =>
      runInTurn(operation, async () => {
        if (!record) await context.requireRoom()
        if (!record?.created) context.requireMemory(config)
        mkdirSync(path, { recursive: true, mode: 0o700 })
        files.makeInstanceFolders(path, record ?? {})
        const hadData = record?.created
          ? record.hadData
          : (record?.hasPassword ?? false) && existsSync(files.getDataFile(path, record ?? {}))
        const previousRecord = record ?? { apps: [], active: null, hasPassword: false, wanted: 'stopped' as const }
        const newRecord = {
          ...previousRecord,
          ...ref,
          format: 1,
          name,
          created: true,
          hadData,
          fence: operation.fence,
          config,
        } as const
        writeRecord(withUser(newRecord))
        return { address: context.getAddress(), hadData }
      }),

    install: (apps, operation) =>
      runInTurn(operation, async () => {
        requireRecord()
        const installedApps = await installApps(join(path, 'apps'), apps)
        if (record?.user !== undefined) shareApps(path, record.user)
        writeRecord({ ...requireRecord(), apps: installedApps, fence: operation.fence })
        removeUnusedApps(join(path, 'apps'), [...installedApps, ...(record?.active?.apps ?? [])])
      }),

    configure: (config, operation) =>
      runInTurn(operation, () => {
        const currentRecord = requireRecord()
        if (getNeededMb(config) > getNeededMb(currentRecord.config)) context.requireMemory(config)
        writeRecord({ ...currentRecord, config, fence: operation.fence })
      }),

    start: ({ fresh: isFresh }, operation) =>
      runInTurn(operation, () => {
        const currentRecord = requireRecord()
        const active = getNextActive(currentRecord, isFresh, operation.fence)
        const runningMb =
          currentRecord.wanted === 'running' && currentRecord.active ? getNeededMb(currentRecord.active.config) : 0
        if (getNeededMb(active.config) > runningMb) context.requireMemory(active.config)
        if (currentRecord.wanted === 'stopped') logEvent('info', 'to run')
        else if (active !== currentRecord.active) logEvent('info', 'to run anew')
        writeRecord({ ...currentRecord, wanted: 'running', active, fence: operation.fence })
        if (active === currentRecord.active && currentRecord.wanted === 'running') tasks.reconcile()
        else tasks.restart()
      }),

    stop: (operation) =>
      runInTurn(operation, async () => {
        const currentRecord = requireRecord()
        if (currentRecord.wanted === 'running') logEvent('info', 'to stop')
        writeRecord({ ...currentRecord, wanted: 'stopped', fence: operation.fence })
        await tasks.removeAll()
      }),

    setPassword: (password, operation) =>
      runInTurn(operation, async () => {
        writeRecord({ ...requireRecord(), fence: operation.fence })
        await setInstancePassword(
          buildProgram(context, requireRecord()),
          requireRecord().user,
          files.getDataFolder(path, requireRecord()),
          password,
        )
        writeRecord({ ...requireRecord(), hasPassword: true })
        logEvent('info', 'the password of admin was set')
      }),

    takeData: (draftName, operation) =>
      runInTurn(operation, async () => {
        requireRecord()
        const builtFolder = getDraftPath(path, draftName)
        if (!existsSync(join(builtFolder, 'instance.db')))
          throw new HostingError('unreachable', 'the data that was built is gone')
        const data = files.createDataName()
        isReplacingData = true
        try {
          await tasks.removeAll()
          const { user } = requireRecord()
          if (user !== undefined) chownTree(builtFolder, user, user)
          renameSync(builtFolder, join(path, data))
          syncFolder(path)
          // From here on it is the new one: nothing runs, and what begins goes by the record.
          writeRecord({ ...requireRecord(), data, hasPassword: true, fence: operation.fence })
          logEvent('info', 'its data was replaced')
        } finally {
          isReplacingData = false
          tasks.restart()
        }
        files.removeUnusedDataFolders(path, requireRecord())
      }),

    remove: (operation) =>
      runInTurn(operation, async () => {
        if (!record) return
        if (record.created) logEvent('info', 'taken away; its data stays')
        writeRecord({ ...record, created: false, wanted: 'stopped', fence: operation.fence, apps: [], active: null })
        await tasks.removeAll()
        removeUnusedApps(join(path, 'apps'), [])
      }),

    erase: (operation) =>
      runInTurn(operation, async () => {
        if (record)
          writeRecord({ ...record, created: false, wanted: 'stopped', fence: operation.fence, apps: [], active: null })
        await tasks.removeAll()
        if (!existsSync(path)) return
        erasedFences.set(ref.serviceId, operation.fence)
        // Away at once: what is cut off half erased is never found as a service.
        const erasedPath = join(dirname(path), `${files.erasedPrefix}${randomBytes(8).toString('hex')}`)
        renameSync(path, erasedPath)
        if (record?.user !== undefined) context.users?.release(record.user)
        record = null
        rmSync(erasedPath, files.removeOptions)
      }),
  }
}

/** What tasks are to be started with from now on; the same object: as before. */
function getNextActive(currentRecord: files.InstanceRecord, isFresh: boolean, fence: number): files.ActiveSetting {
  const { active, config, apps } = currentRecord
  const number = (active?.number ?? 0) + 1
  const nextSetting = { number, fence, config, apps }
  if (!active || currentRecord.wanted === 'stopped') return nextSetting
  if (!isFresh) return active
  const isSame = JSON.stringify([active.config, active.apps]) === JSON.stringify([config, apps])
  return active.fence >= fence && isSame ? active : nextSetting
}
