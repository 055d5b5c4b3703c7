/** Runs one instance: stores its target state, then adjusts the tasks to it. Adjusts them again after every change and when a task ends. */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type Deployment,
  HostingError,
  type InstanceAddress,
  type InstanceApp,
  type InstanceConfig,
  type InstanceFault,
  type InstanceRef,
  type InstanceState,
  type HostingOperation,
} from '#server/drivers/hosting/hosting-driver.ts'
import { syncFolder } from '#server/drivers/hosting/atomic-file.ts'
import { getTaskCount, calculateNeededMemory } from '#server/drivers/hosting/machine-memory.ts'
import * as deployments from '#server/drivers/hosting/local/instances/deployments.ts'
import { getDraftPath, removeStaleDrafts } from '#server/drivers/hosting/local/instances/draft-folders.ts'
import type { ErasedFences } from '#server/drivers/hosting/local/instances/erased-fences.ts'
import { installApps, removeUnusedApps } from '#server/drivers/hosting/local/instances/install-apps.ts'
import * as files from '#server/drivers/hosting/local/instances/files.ts'
import { logDayBytes } from '#server/drivers/hosting/log-text.ts'
import { type LogWriter, openLogWriter } from '#server/drivers/hosting/local/log-writer.ts'
import type { InstanceContext } from '#server/drivers/hosting/local/instances/instance-context.ts'
import { chownTree, assignToUser, shareApps } from '#server/drivers/hosting/local/instances/user-isolation.ts'
import { setInstancePassword } from '#server/drivers/hosting/local/instances/set-password.ts'
import { TaskManager, buildProgram, type TaskPlan } from '#server/drivers/hosting/local/instances/task-manager.ts'
import type { InstanceTask } from '#server/drivers/hosting/local/instances/task.ts'

const emptyRecord = { apps: [], active: null, deployment: null, hasPassword: false, wanted: 'stopped' } as const

export class HostedInstance {
  readonly ref: InstanceRef
  readonly #context: InstanceContext
  readonly #erasedFences: ErasedFences
  readonly #path: string
  readonly #log: LogWriter
  readonly #tasks: TaskManager
  #record: files.InstanceRecord | null
  /** True while the data is replaced. No task runs in the meantime. */
  #isReplacingData = false
  #lastOperation: Promise<unknown> = Promise.resolve()

  constructor(context: InstanceContext, erasedFences: ErasedFences) {
    const { ref, path } = context
    this.ref = ref
    this.#context = context
    this.#erasedFences = erasedFences
    this.#path = path
    this.#record = files.readInstanceRecord(path)
    this.#log = openLogWriter(files.getHostLogFolder(path), 0, { dayBytes: logDayBytes.host, keepFileOpen: false })
    this.#tasks = new TaskManager({
      context,
      log: this.#log,
      getPlan: () => this.#getTaskPlan(),
      getRecord: () => this.#record,
    })
    if (!this.#record) return
    const { user } = this.#record
    if (user !== undefined) context.users?.markClaimed(user)
    const newRecord = this.#assignUser(this.#record)
    if (newRecord.user !== user) this.#writeRecord(newRecord)
    files.removeUnusedDataFolders(path, this.#record)
    removeStaleDrafts(path)
    this.#tasks.adopt()
  }

  getState(): InstanceState | null {
    const record = this.#record
    if (!record) return null
    const plan = this.#getTaskPlan()
    const tasks = this.#tasks.listTasks().filter(({ removalReason }) => removalReason === null)
    const oldestTask = tasks.toSorted((a, b) => a.record.since - b.record.since)[0]
    return {
      ...this.ref,
      created: record.created,
      wanted: record.wanted,
      config: record.config,
      active: plan?.active.config ?? null,
      running: oldestTask?.record.config ?? null,
      apps: record.apps.map(({ code, version }) => ({ code, version })),
      tasks: tasks.map((task) => ({
        number: task.record.number,
        started: task.record.since,
        limitMb: task.record.limitMb,
        usedMb: task.usedMb,
        healthy: task.healthy,
      })),
      healthy: tasks.some(({ healthy }) => healthy),
      fault: plan ? this.#getFault(record, plan) : null,
      deployment: plan ? this.#getDeployment(record, plan) : null,
      address: this.#context.getAddress(),
    }
  }

  /** If nothing else is wrong, this is the fault of a deployment that was rolled back. */
  #getFault({ deployment }: files.InstanceRecord, { active }: TaskPlan): InstanceFault | null {
    // While tasks that ran before serve the users, the fault of the new tasks is only in the deployment.
    const isPreviousHealthy = this.listHealthyTasks().some(({ record }) => record.active < active.number)
    const fault = isPreviousHealthy ? null : this.#tasks.getFault()
    const isHealthy = this.listHealthyTasks().length > 0
    return fault ?? (isHealthy && deployment?.state === 'rolled_back' ? deployment.fault : null)
  }

  #getDeployment({ deployment = null }: files.InstanceRecord, { count, active }: TaskPlan): Deployment | null {
    if (deployment === null) return null
    const tasks = {
      healthyCount: this.#tasks.countHealthy(active.number),
      fault: this.#tasks.getFault(),
    }
    return deployments.toDeploymentState(deployment, count, tasks, {
      now: Date.now(),
      beginMs: this.#context.times.beginMs,
    })
  }

  listHealthyTasks(): readonly InstanceTask[] {
    return this.#tasks.listHealthyTasks()
  }

  shouldRun(): boolean {
    return (this.#getTaskPlan()?.count ?? 0) > 0
  }

  /** Returns the reserved memory in MB: the largest need of the active, previous and next configuration. 0 if nothing should run. */
  getReservedMb(): number {
    const active = this.#getWantedSetting()
    if (!this.#record || !active) return 0
    const previous = this.#record.deployment?.previous
    const configs = [active.config, this.#record.config, ...(previous ? [previous.config] : [])]
    return Math.max(...configs.map((config) => this.#getNeededMb(config))) + this.#tasks.getExtraMb()
  }

  listSockets(): string[] {
    return this.#tasks.listSockets()
  }

  prepare(
    { name, config }: { name: string; config: InstanceConfig },
    { fence }: HostingOperation,
  ): Promise<{ address: InstanceAddress; hadData: boolean }> {
    return this.#runInTurn(fence, async () => {
      const record = this.#record
      if (!record) await this.#context.requireRoom()
      if (!record?.created) this.#context.requireMemory(config)
      mkdirSync(this.#path, { recursive: true, mode: 0o700 })
      files.makeInstanceFolders(this.#path, record ?? {})
      const hadData = record !== null && this.#hasUsedData(record)
      this.#writeRecord(
        this.#assignUser({
          ...(record ?? emptyRecord),
          ...this.ref,
          format: 1,
          name,
          created: true,
          hadData,
          fence,
          config,
        }),
      )
      return { address: this.#context.getAddress(), hadData }
    })
  }

  install(apps: readonly InstanceApp[], { fence }: HostingOperation): Promise<void> {
    return this.#runInTurn(fence, async () => {
      const { user, active, deployment } = this.#requireNotRolledBack(fence)
      const folder = join(this.#path, 'apps')
      const installedApps = await installApps(folder, apps)
      if (user !== undefined) shareApps(this.#path, user)
      this.#updateRecord({ apps: installedApps, fence })
      removeUnusedApps(folder, [...installedApps, ...(active?.apps ?? []), ...(deployment?.previous?.apps ?? [])])
    })
  }

  configure(config: InstanceConfig, { fence }: HostingOperation): Promise<void> {
    return this.#runInTurn(fence, () => {
      if (this.#getNeededMb(config) > this.#getNeededMb(this.#requireRecord().config))
        this.#context.requireMemory(config)
      this.#updateRecord({ config, fence })
    })
  }

  start({ fresh: isFresh }: { fresh: boolean }, { fence }: HostingOperation): Promise<void> {
    return this.#runInTurn(fence, () => {
      const record = this.#requireNotRolledBack(fence)
      const active = deployments.getNextActive(record, isFresh, fence)
      const runningSetting = this.#getWantedSetting()
      const runningMb = runningSetting ? this.#getNeededMb(runningSetting.config) : 0
      if (this.#getNeededMb(active.config) > runningMb) this.#context.requireMemory(active.config)
      if (record.wanted === 'stopped') this.#logEvent('start requested')
      else if (active !== record.active) this.#logEvent('restart requested')
      const isHealthy = runningSetting !== null && this.#tasks.isHealthy(runningSetting)
      const deployment =
        active === record.active
          ? record.deployment
          : deployments.beginDeployment(record, active, { isHealthy, now: Date.now() })
      this.#updateRecord({ wanted: 'running', active, deployment: deployment ?? null, fence })
      if (active === runningSetting) this.#tasks.reconcile()
      else this.#tasks.restart()
    })
  }

  switchOver({ fence }: HostingOperation): Promise<void> {
    return this.#runInTurn(fence, () => {
      this.#updateRecord({ ...deployments.completeDeployment(this.#requireRecord(), fence), fence })
    })
  }

  rollBack(fault: InstanceFault, { fence }: HostingOperation): Promise<void> {
    return this.#runInTurn(fence, () => {
      const changes = deployments.rollBackDeployment(this.#requireRecord(), fault, fence)
      this.#updateRecord({ ...changes, fence })
      if (!changes.active) return
      this.#logEvent(`the new settings were given up (${fault}), the previous ones are used again`)
      this.#tasks.restart()
    })
  }

  stop({ fence }: HostingOperation): Promise<void> {
    return this.#runInTurn(fence, async () => {
      if (this.#requireRecord().wanted === 'running') this.#logEvent('stop requested')
      this.#updateRecord({ wanted: 'stopped', deployment: null, fence })
      await this.#tasks.removeAll()
    })
  }

  setPassword(password: string, { fence }: HostingOperation): Promise<void> {
    return this.#runInTurn(fence, async () => {
      this.#updateRecord({ fence })
      const record = this.#requireRecord()
      const program = buildProgram(this.#context, record)
      await setInstancePassword(program, record.user, files.getDataFolder(this.#path, record), password)
      this.#updateRecord({ hasPassword: true })
      this.#logEvent('password of admin changed')
    })
  }

  takeData(draftName: string, { fence }: HostingOperation): Promise<void> {
    return this.#runInTurn(fence, async () => {
      const { user } = this.#requireRecord()
      const builtFolder = getDraftPath(this.#path, draftName)
      if (!existsSync(join(builtFolder, 'instance.db')))
        throw new HostingError('unreachable', 'the restored data no longer exists')
      const data = files.createDataName()
      this.#isReplacingData = true
      try {
        await this.#tasks.removeAll()
        if (user !== undefined) chownTree(builtFolder, user, user)
        renameSync(builtFolder, join(this.#path, data))
        syncFolder(this.#path)
        // The record must name the new folder before any task starts.
        this.#updateRecord({ data, hasPassword: true, fence })
        this.#logEvent('data replaced')
      } finally {
        this.#isReplacingData = false
        this.#tasks.restart()
      }
      files.removeUnusedDataFolders(this.#path, this.#requireRecord())
    })
  }

  remove({ fence }: HostingOperation): Promise<void> {
    return this.#runInTurn(fence, async () => {
      if (!this.#record) return
      if (this.#record.created) this.#logEvent('service removed, data kept')
      await this.#removeTasks(fence)
      removeUnusedApps(join(this.#path, 'apps'), [])
    })
  }

  erase({ fence }: HostingOperation): Promise<void> {
    return this.#runInTurn(fence, async () => {
      await this.#removeTasks(fence)
      // Writes lines that are still counted now. Later they would create the folder again.
      this.#log.close()
      if (!existsSync(this.#path)) return
      this.#erasedFences.set(this.ref.serviceId, fence)
      // The folder is renamed first, so that a partly deleted folder is never read as an instance.
      const erasedPath = join(dirname(this.#path), `${files.erasedPrefix}${randomBytes(8).toString('hex')}`)
      renameSync(this.#path, erasedPath)
      if (this.#record?.user !== undefined) this.#context.users?.release(this.#record.user)
      this.#record = null
      rmSync(erasedPath, files.removeOptions)
    })
  }

  /** Ends all tasks without changing the target state, so that the next supervisor starts them again. */
  shutDown(): Promise<void> {
    return this.#tasks.shutDown()
  }

  detach(): void {
    this.#tasks.detach()
  }

  /** Runs operations one after the other. Throws `overtaken` if a later operation was already executed. */
  #runInTurn<T>(fence: number, work: () => Promise<T> | T): Promise<T> {
    const queuedRun = this.#lastOperation.then(() => {
      if (fence < (this.#record?.fence ?? this.#erasedFences.get(this.ref.serviceId)))
        throw new HostingError('overtaken', `a later operation than ${fence} was already executed`)
      return work()
    })
    this.#lastOperation = queuedRun.catch(() => undefined)
    return queuedRun.finally(this.#context.onChange)
  }

  /** Claims a system user for the instance and makes it the owner of the files. */
  #assignUser({ user, ...recordWithoutUser }: files.InstanceRecord): files.InstanceRecord {
    const { users } = this.#context
    if (users === null) return recordWithoutUser
    if (user !== undefined) return { ...recordWithoutUser, user }
    const claimedUser = users.claim()
    files.makeInstanceFolders(this.#path, recordWithoutUser)
    assignToUser(this.#path, recordWithoutUser, claimedUser)
    return { ...recordWithoutUser, user: claimedUser }
  }

  #writeRecord(newRecord: files.InstanceRecord): void {
    files.writeInstanceRecord(this.#path, newRecord)
    this.#record = newRecord
  }

  #updateRecord(changes: Partial<files.InstanceRecord>): void {
    this.#writeRecord({ ...this.#requireRecord(), ...changes })
  }

  #requireRecord(): files.InstanceRecord {
    if (!this.#record?.created) throw new HostingError('no_instance', `the service ${this.ref.code} does not exist`)
    return this.#record
  }

  /** Throws `overtaken` if this operation was rolled back: a delayed call of it must not begin again. */
  #requireNotRolledBack(fence: number): files.InstanceRecord {
    const record = this.#requireRecord()
    if (!deployments.isRolledBack(record, fence)) return record
    throw new HostingError('overtaken', `the operation ${fence} was rolled back`)
  }

  async #removeTasks(fence: number): Promise<void> {
    if (this.#record)
      this.#writeRecord({
        ...this.#record,
        created: false,
        wanted: 'stopped',
        fence,
        apps: [],
        active: null,
        deployment: null,
      })
    await this.#tasks.removeAll()
  }

  #hasUsedData(record: files.InstanceRecord): boolean {
    return record.created ? record.hadData : record.hasPassword && existsSync(files.getDataFile(this.#path, record))
  }

  #getNeededMb(config: InstanceConfig): number {
    return calculateNeededMemory(config, this.#context.times.allowanceMb)
  }

  #getWantedSetting(): files.ActiveSetting | null {
    return this.#record?.created && this.#record.wanted === 'running' ? this.#record.active : null
  }

  #getTaskPlan(): TaskPlan | null {
    const active = this.#isReplacingData ? null : this.#getWantedSetting()
    return active && { count: getTaskCount(active.config), active }
  }

  #logEvent(text: string): void {
    this.#log.write('info', text, { priority: 'lifecycle' })
  }
}
