/** Manages all instances of a folder. An instance without tasks costs only a record in memory. */
import { mkdirSync, readdirSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import {
  HostingError,
  type InstanceAddress,
  type InstanceConfig,
  type InstanceRef,
  type InstanceState,
} from '#server/drivers/hosting/hosting-driver.ts'
import { logSupervisorError } from '#server/drivers/hosting/local/log-supervisor-error.ts'
import { getCompileCacheEnv } from '#server/drivers/compile-cache.ts'
import { type ErasedFences, openErasedFences } from '#server/drivers/hosting/local/instances/erased-fences.ts'
import { HostedInstance } from '#server/drivers/hosting/local/instances/instance.ts'
import {
  getInstanceFolder,
  listInstances,
  getInstancesFolder,
  isInstanceRef,
  getLogFolders,
} from '#server/drivers/hosting/local/instances/files.ts'
import {
  getTaskCount,
  getMemoryLimit,
  calculateMemoryBudget,
  calculateNeededMemory,
} from '#server/drivers/hosting/machine-memory.ts'
import { removeOldLogs } from '#server/drivers/hosting/local/log-reader.ts'
import type { InstanceProgram } from '#server/drivers/hosting/local/instances/spawn-program.ts'
import { openRunFolder } from '#server/drivers/hosting/local/run-folder.ts'
import { removeSocketFiles, type TaskTimes, defaultTaskTimes } from '#server/drivers/hosting/local/instances/task.ts'
import {
  canChangeUser,
  findIsolationProblem,
  allowTraversal,
  openUserPool,
  type UserPool,
  type SystemUserRange,
} from '#server/drivers/hosting/local/instances/user-isolation.ts'

/** Maximum number of instances of this machine, a safety limit. Stopped instances cost nearly nothing. */
const maxInstances = 1000
const minFreeBytes = 128 * 1024 * 1024

interface InstanceRegistryOptions {
  folder: string
  program: string
  /** Memory in MB for all services together; 0 means as much as this machine can provide. */
  memoryMb: number
  /** System users for the instances. Null if all instances run as the current user. */
  users: SystemUserRange | null
  times: Partial<TaskTimes>
  getAddress: (code: string) => InstanceAddress
  onChange: (ref: InstanceRef) => void
}

export class InstanceRegistry {
  /** Reason why services share the portal's user. Null if each has its own user. */
  readonly isolationProblem: string | null
  readonly #options: InstanceRegistryOptions
  readonly #runFolder: string
  readonly #program: InstanceProgram
  readonly #times: TaskTimes
  readonly #users: UserPool | null
  readonly #erasedFences: ErasedFences
  readonly #instancesByKey = new Map<string, HostedInstance>()

  constructor(options: InstanceRegistryOptions) {
    const { folder, program, users, times } = options
    const instancesFolder = getInstancesFolder(folder)
    mkdirSync(instancesFolder, { recursive: true, mode: 0o700 })
    this.#options = options
    this.#runFolder = openRunFolder(folder)
    this.#program = { path: program, env: getCompileCacheEnv() }
    if (users !== null && canChangeUser())
      for (const path of [folder, instancesFolder, this.#runFolder]) allowTraversal(path)
    this.isolationProblem = findIsolationProblem(users, instancesFolder, program)
    this.#users = this.isolationProblem === null && users !== null ? openUserPool(folder, users) : null
    if (this.#users === null)
      logSupervisorError(
        { event: 'service_isolation_missing', problem: this.isolationProblem },
        'hosted services run as the user of the portal and are not isolated from it or from each other',
      )
    this.#times = { ...defaultTaskTimes, ...times }
    this.#erasedFences = openErasedFences(folder)
  }

  /** Reads all instances from the disk, takes over running tasks and starts missing ones. */
  open(): void {
    for (const ref of listInstances(this.#options.folder)) this.get(ref)
    this.#removeStaleSockets()
  }

  /** Throws HostingError `no_instance` if the reference is invalid. */
  get({ code, serviceId }: InstanceRef): HostedInstance {
    const ref = { code, serviceId }
    if (!isInstanceRef(ref)) throw new HostingError('no_instance', 'the code or the id of the service is invalid')
    const existingInstance = this.#instancesByKey.get(toKey(ref))
    if (existingInstance) return existingInstance
    const { folder, getAddress, onChange } = this.#options
    const context = {
      ref,
      path: getInstanceFolder(folder, ref),
      runFolder: this.#runFolder,
      program: this.#program,
      times: this.#times,
      users: this.#users,
      requireRoom: () => this.#requireRoom(),
      requireMemory: (config: InstanceConfig) => this.#requireMemory(ref, config),
      hasFreeMemory: (memoryMb: number) => memoryMb <= this.#getFreeMemory(this.#list()),
      getAddress: () => getAddress(code),
      onChange: () => onChange(ref),
    }
    const instance = new HostedInstance(context, this.#erasedFences)
    this.#instancesByKey.set(toKey(ref), instance)
    return instance
  }

  /** Ignores removed instances, because another company may use their code now. */
  findByCode(code: string): HostedInstance | null {
    return this.#list().find((instance) => instance.ref.code === code && instance.getState()?.created) ?? null
  }

  listStates(): InstanceState[] {
    return this.#list().flatMap((instance) => instance.getState() ?? [])
  }

  hasWantedInstance(): boolean {
    return this.#list().some((instance) => instance.shouldRun())
  }

  removeOldLogs(): void {
    for (const { ref } of this.#list())
      removeOldLogs(getLogFolders(getInstanceFolder(this.#options.folder, ref)), Date.now())
  }

  async shutDown(): Promise<void> {
    await Promise.all(this.#list().map((instance) => instance.shutDown()))
  }

  detach(): void {
    for (const instance of this.#list()) instance.detach()
  }

  #list(): HostedInstance[] {
    return [...this.#instancesByKey.values()]
  }

  async #requireRoom(): Promise<void> {
    const instanceCount = this.listStates().length
    if (instanceCount >= maxInstances)
      throw new HostingError('no_room', `this machine already has ${instanceCount} services, the maximum`)
    const { bavail, bsize } = await statfs(this.#options.folder)
    if (bavail * bsize < minFreeBytes) throw new HostingError('no_room', 'the disk is nearly full')
  }

  #getMemoryBudget(): number {
    return this.#options.memoryMb || calculateMemoryBudget()
  }

  /** Returns the MB that these instances have not reserved. */
  #getFreeMemory(instances: readonly HostedInstance[]): number {
    return Math.max(0, this.#getMemoryBudget() - instances.reduce((sum, instance) => sum + instance.getReservedMb(), 0))
  }

  #requireMemory(requestingRef: InstanceRef, config: InstanceConfig): void {
    const { allowanceMb } = this.#times
    const freeMb = this.#getFreeMemory(this.#list().filter(({ ref }) => toKey(ref) !== toKey(requestingRef)))
    const neededMb = calculateNeededMemory(config, allowanceMb)
    if (neededMb <= freeMb) return
    throw new HostingError(
      'no_memory',
      `the service needs ${neededMb} MB, but only ${freeMb} MB of ${this.#getMemoryBudget()} MB are free`,
      {
        details: {
          tasks: String(getTaskCount(config)),
          memory: String(getMemoryLimit(config)),
          beside: String(allowanceMb),
          needed: String(neededMb),
          free: String(freeMb),
        },
      },
    )
  }

  /** Removes sockets of tasks that ended while no supervisor ran. */
  #removeStaleSockets(): void {
    const usedPaths = new Set(this.#list().flatMap((instance) => instance.listSockets()))
    for (const name of readdirSync(this.#runFolder)) {
      const path = join(this.#runFolder, name)
      const isUsed =
        usedPaths.has(path) ||
        usedPaths.has(path.replace(/\.err$/, '.sock')) ||
        usedPaths.has(`${path.replace(/\.err$/, '')}/s`)
      if (/^\d+-\d-[0-9a-f]+(\.sock|\.err)?$/.test(name) && !isUsed) removeSocketFiles(path)
    }
  }
}

const toKey = ({ code, serviceId }: InstanceRef) => `${code}-${serviceId}`
