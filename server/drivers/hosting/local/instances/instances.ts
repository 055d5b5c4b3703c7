/** All instances of a folder. One without tasks costs a record in memory and nothing else. */
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
import { getCompileCacheEnv } from '#server/drivers/compile-cache.ts'
import { openErasedFences } from '#server/drivers/hosting/local/instances/erased-fences.ts'
import { type HostedInstance, openInstance } from '#server/drivers/hosting/local/instances/instance.ts'
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
} from '#server/drivers/hosting/local/instances/machine-memory.ts'
import { removeOldLogs } from '#server/drivers/hosting/local/log-reader.ts'
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

export interface InstanceRegistry {
  /** Reads what is on the disk, adopts what runs, and starts what is missing. */
  open(): void
  /** Throws HostingError `no_instance` for what can be none. */
  get(ref: InstanceRef): HostedInstance
  findByCode(code: string): HostedInstance | null
  listStates(): InstanceState[]
  hasWantedInstance(): boolean
  /** Why services share the user of the portal; null: they do not. */
  isolationProblem: string | null
  removeOldLogs(): void
  shutDown(): Promise<void>
  detach(): void
}

/** Those that do not run cost next to nothing; it is a bound all the same. */
const maxInstances = 1000
const minFreeBytes = 128 * 1024 * 1024

export function openInstanceRegistry({
  folder,
  program: path,
  times,
  memoryMb,
  users,
  getAddress,
  onChange,
}: {
  folder: string
  /** Path of what each instance runs. */
  program: string
  /** Of all services together; 0: what this machine can give. */
  memoryMb: number
  /** Of instances; null: they run as the user that we are. */
  users: SystemUserRange | null
  times: Partial<TaskTimes>
  getAddress: (code: string) => InstanceAddress
  onChange: (ref: InstanceRef) => void
}): InstanceRegistry {
  mkdirSync(getInstancesFolder(folder), { recursive: true, mode: 0o700 })
  const runFolder = openRunFolder(folder)
  const program = {
    path,
    env: getCompileCacheEnv(),
  }
  const { pool, problem: isolationProblem } = openUsers()
  const taskTimes = { ...defaultTaskTimes, ...times }
  const fences = openErasedFences(folder)
  const instancesByKey = new Map<string, HostedInstance>()
  const toKey = ({ code, serviceId }: InstanceRef) => `${code}-${serviceId}`

  function openUsers(): { pool: UserPool | null; problem: string | null } {
    if (users !== null && canChangeUser())
      for (const path of [folder, getInstancesFolder(folder), runFolder]) allowTraversal(path)
    const problem = findIsolationProblem(users, getInstancesFolder(folder), program.path)
    if (problem === null && users !== null) return { pool: openUserPool(folder, users), problem }
    console.error(new Date().toISOString(), `services share the user of the portal: ${problem}`)
    return { pool: null, problem }
  }

  async function requireRoom(): Promise<void> {
    const knownCount = [...instancesByKey.values()].filter(({ getState: state }) => state() !== null).length
    if (knownCount >= maxInstances) throw new HostingError('no_room', `this machine has ${knownCount} services already`)
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize < minFreeBytes) throw new HostingError('no_room', 'the disk is nearly full')
  }

  function requireMemory(requestingRef: InstanceRef, config: InstanceConfig): void {
    const budget = memoryMb || calculateMemoryBudget()
    const otherInstances = [...instancesByKey.values()].filter(({ ref }) => toKey(ref) !== toKey(requestingRef))
    const freeMb = Math.max(0, budget - otherInstances.reduce((sum, instance) => sum + instance.getReservedMb(), 0))
    const neededMb = calculateNeededMemory(config, taskTimes.allowanceMb)
    if (neededMb <= freeMb) return
    const message = `${neededMb} MB are needed, and ${freeMb} MB of ${budget} MB are free`
    const details = {
      tasks: getTaskCount(config),
      memory: getMemoryLimit(config),
      beside: taskTimes.allowanceMb,
      needed: neededMb,
      free: freeMb,
    }
    throw new HostingError('no_memory', message, {
      details: Object.fromEntries(Object.entries(details).map(([name, value]) => [name, String(value)])),
    })
  }

  function get(ref: InstanceRef): HostedInstance {
    if (!isInstanceRef(ref)) throw new HostingError('no_instance', 'no service has that code and number')
    const existingInstance = instancesByKey.get(toKey(ref))
    if (existingInstance) return existingInstance
    const { code, serviceId } = ref
    const context = {
      ref: { code, serviceId },
      path: getInstanceFolder(folder, ref),
      runFolder,
      program,
      times: taskTimes,
      users: pool,
      requireRoom,
      requireMemory: (config: InstanceConfig) => requireMemory({ code, serviceId }, config),
      getAddress: () => getAddress(code),
      onChange: () => onChange({ code, serviceId }),
    }
    const instance = openInstance(context, fences)
    instancesByKey.set(toKey(ref), instance)
    return instance
  }

  return {
    get,
    open() {
      for (const ref of listInstances(folder)) get(ref)
      removeStaleSockets()
    },
    // The code of one that was taken away can be another company's by now.
    findByCode: (code) =>
      [...instancesByKey.values()].find(({ ref, getState: state }) => ref.code === code && state()?.created) ?? null,
    listStates: () => [...instancesByKey.values()].flatMap(({ getState: state }) => state() ?? []),
    isolationProblem,
    hasWantedInstance: () => [...instancesByKey.values()].some((instance) => instance.shouldRun()),
    removeOldLogs() {
      for (const { ref } of instancesByKey.values())
        removeOldLogs(getLogFolders(getInstanceFolder(folder, ref)), Date.now())
    },
    async shutDown() {
      await Promise.all([...instancesByKey.values()].map((instance) => instance.shutDown()))
    },
    detach() {
      for (const instance of instancesByKey.values()) instance.detach()
    },
  }

  /** Of tasks that ended while nobody watched. */
  function removeStaleSockets(): void {
    const usedPaths = new Set([...instancesByKey.values()].flatMap((instance) => instance.listSockets()))
    for (const name of readdirSync(runFolder)) {
      const path = join(runFolder, name)
      const isUsed =
        usedPaths.has(path) ||
        usedPaths.has(path.replace(/\.err$/, '.sock')) ||
        usedPaths.has(`${path.replace(/\.err$/, '')}/s`)
      if (/^\d+-\d-[0-9a-f]+(\.sock|\.err)?$/.test(name) && !isUsed) removeSocketFiles(path)
    }
  }
}
