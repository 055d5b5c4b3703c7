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
} from '#server/drivers/hosting/driver.ts'
import { compileCacheEnv } from '#server/drivers/compile-cache.ts'
import { openErasedFences } from '#server/drivers/hosting/local/instances/erased-fences.ts'
import { type Instance, openInstance } from '#server/drivers/hosting/local/instances/instance.ts'
import {
  folderOf,
  foundInstances,
  instancesFolder,
  isInstanceRef,
  logFolders,
} from '#server/drivers/hosting/local/instances/files.ts'
import { countOf, limitOf, memoryBudget, neededMemory } from '#server/drivers/hosting/local/instances/machine-memory.ts'
import { removeOldLogs } from '#server/drivers/hosting/local/log-reader.ts'
import { runFolderOf } from '#server/drivers/hosting/local/run-folder.ts'
import { removeSocketFiles, type TaskTimes, usualTimes } from '#server/drivers/hosting/local/instances/task.ts'
import {
  canChangeUser,
  findIsolationProblem,
  openForPassing,
  openUserPool,
  type UserPool,
  type UserRange,
} from '#server/drivers/hosting/local/instances/user-isolation.ts'

export interface Instances {
  /** Reads what is on the disk, adopts what runs, and starts what is missing. */
  open(): void
  /** Throws HostingError `no_instance` for what can be none. */
  of(ref: InstanceRef): Instance
  byCode(code: string): Instance | null
  states(): InstanceState[]
  anyWanted(): boolean
  /** Why services share the user of the portal; null: they do not. */
  isolationProblem: string | null
  removeOldLogs(): void
  shutDown(): Promise<void>
  letGo(): void
}

/** Those that do not run cost next to nothing; it is a bound all the same. */
const maxInstances = 1000
const minFreeBytes = 128 * 1024 * 1024

export function openInstances({
  folder,
  program: path,
  times,
  memoryMb,
  users,
  addressOf,
  changed,
}: {
  folder: string
  /** Path of what each instance runs. */
  program: string
  /** Of all services together; 0: what this machine can give. */
  memoryMb: number
  /** Of instances; null: they run as the user that we are. */
  users: UserRange | null
  times: Partial<TaskTimes>
  addressOf: (code: string) => InstanceAddress
  changed: (ref: InstanceRef) => void
}): Instances {
  mkdirSync(instancesFolder(folder), { recursive: true, mode: 0o700 })
  const runFolder = runFolderOf(folder)
  const program = {
    path,
    env: compileCacheEnv(),
  }
  const { pool, problem: isolationProblem } = openUsers()
  const taskTimes = { ...usualTimes, ...times }
  const fences = openErasedFences(folder)
  const all = new Map<string, Instance>()
  const keyOf = ({ code, serviceId }: InstanceRef) => `${code}-${serviceId}`

  function openUsers(): { pool: UserPool | null; problem: string | null } {
    if (users !== null && canChangeUser())
      for (const path of [folder, instancesFolder(folder), runFolder]) openForPassing(path)
    const problem = findIsolationProblem(users, instancesFolder(folder), program.path)
    if (problem === null && users !== null) return { pool: openUserPool(folder, users), problem }
    console.error(new Date().toISOString(), `services share the user of the portal: ${problem}`)
    return { pool: null, problem }
  }

  async function requireRoom(): Promise<void> {
    const known = [...all.values()].filter(({ state }) => state() !== null).length
    if (known >= maxInstances) throw new HostingError('no_room', `this machine has ${known} services already`)
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize < minFreeBytes) throw new HostingError('no_room', 'the disk is nearly full')
  }

  function requireMemory(asking: InstanceRef, config: InstanceConfig): void {
    const budget = memoryMb || memoryBudget()
    const others = [...all.values()].filter(({ ref }) => keyOf(ref) !== keyOf(asking))
    const free = Math.max(0, budget - others.reduce((sum, instance) => sum + instance.reservedMb(), 0))
    const needed = neededMemory(config, taskTimes.allowanceMb)
    if (needed <= free) return
    const message = `${needed} MB are needed, and ${free} MB of ${budget} MB are free`
    const details = {
      tasks: countOf(config),
      memory: limitOf(config),
      beside: taskTimes.allowanceMb,
      needed,
      free,
    }
    throw new HostingError('no_memory', message, {
      details: Object.fromEntries(Object.entries(details).map(([name, value]) => [name, String(value)])),
    })
  }

  function of(ref: InstanceRef): Instance {
    if (!isInstanceRef(ref)) throw new HostingError('no_instance', 'no service has that code and number')
    const found = all.get(keyOf(ref))
    if (found) return found
    const { code, serviceId } = ref
    const place = {
      ref: { code, serviceId },
      path: folderOf(folder, ref),
      runFolder,
      program,
      times: taskTimes,
      users: pool,
      requireRoom,
      requireMemory: (config: InstanceConfig) => requireMemory({ code, serviceId }, config),
      address: () => addressOf(code),
      changed: () => changed({ code, serviceId }),
    }
    const made = openInstance(place, fences)
    all.set(keyOf(ref), made)
    return made
  }

  return {
    of,
    open() {
      for (const ref of foundInstances(folder)) of(ref)
      removeLeftSockets()
    },
    // The code of one that was taken away can be another company's by now.
    byCode: (code) => [...all.values()].find(({ ref, state }) => ref.code === code && state()?.created) ?? null,
    states: () => [...all.values()].flatMap(({ state }) => state() ?? []),
    isolationProblem,
    anyWanted: () => [...all.values()].some((instance) => instance.wantsToRun()),
    removeOldLogs() {
      for (const { ref } of all.values()) removeOldLogs(logFolders(folderOf(folder, ref)), Date.now())
    },
    async shutDown() {
      await Promise.all([...all.values()].map((instance) => instance.shutDown()))
    },
    letGo() {
      for (const instance of all.values()) instance.letGo()
    },
  }

  /** Of tasks that ended while nobody watched. */
  function removeLeftSockets(): void {
    const used = new Set([...all.values()].flatMap((instance) => instance.sockets()))
    for (const name of readdirSync(runFolder)) {
      const path = join(runFolder, name)
      const isUsed =
        used.has(path) || used.has(path.replace(/\.err$/, '.sock')) || used.has(`${path.replace(/\.err$/, '')}/s`)
      if (/^\d+-\d-[0-9a-f]+(\.sock|\.err)?$/.test(name) && !isUsed) removeSocketFiles(path)
    }
  }
}
