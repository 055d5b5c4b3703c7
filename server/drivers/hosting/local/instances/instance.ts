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
  type LogLine,
  type Operation,
} from '#server/drivers/hosting/driver.ts'
import { syncFolder } from '#server/drivers/hosting/local/atomic-file.ts'
import { countOf, neededMemory } from '#server/drivers/hosting/local/instances/machine-memory.ts'
import { draftPath, removeLeftDrafts } from '#server/drivers/hosting/local/instances/draft-folders.ts'
import type { ErasedFences } from '#server/drivers/hosting/local/instances/erased-fences.ts'
import { installApps, removeUnused } from '#server/drivers/hosting/local/instances/install-apps.ts'
import * as files from '#server/drivers/hosting/local/instances/files.ts'
import { logDayBytes, openLogWriter } from '#server/drivers/hosting/local/log-writer.ts'
import type { InstancePlace } from '#server/drivers/hosting/local/instances/place.ts'
import { chownTree, giveToUser, shareApps } from '#server/drivers/hosting/local/instances/user-isolation.ts'
import { setInstancePassword } from '#server/drivers/hosting/local/instances/set-password.ts'
import { openTasks, programOf, type TaskSetting } from '#server/drivers/hosting/local/instances/tasks.ts'
import type { Task } from '#server/drivers/hosting/local/instances/task.ts'

export interface Instance {
  readonly ref: InstanceRef
  /** Null: nothing is known of it. */
  state(): InstanceState | null
  /** Of those, the gateway takes one after the other. */
  healthyTasks(): readonly Task[]
  wantsToRun(): boolean
  /** MB that it may use, with what is configured for its next start; 0: it is not to run. */
  reservedMb(): number
  /** Paths of its tasks' sockets. */
  sockets(): string[]
  prepare(
    spec: { name: string; config: InstanceConfig },
    operation: Operation,
  ): Promise<{ address: InstanceAddress; hadData: boolean }>
  install(apps: readonly InstanceApp[], operation: Operation): Promise<void>
  configure(config: InstanceConfig, operation: Operation): Promise<void>
  start(options: { fresh: boolean }, operation: Operation): Promise<void>
  stop(operation: Operation): Promise<void>
  setPassword(password: string, operation: Operation): Promise<void>
  /** Of the draft of that name, in place of what it has. */
  takeData(draft: string, operation: Operation): Promise<void>
  remove(operation: Operation): Promise<void>
  erase(operation: Operation): Promise<void>
  /** Ends what runs, and leaves written down that it is to run. */
  shutDown(): Promise<void>
  /** Watches no more; what runs goes on. */
  letGo(): void
}

export function openInstance(place: InstancePlace, erasedFences: ErasedFences): Instance {
  const { ref, path } = place
  let record = files.readInstance(path)
  const log = openLogWriter(files.hostLogs(path), 0, { dayBytes: logDayBytes.host, keepsOpen: false })
  const say = (level: LogLine['level'], text: string) => log.write(level, text, { priority: 'lifecycle' })
  /** Nothing runs while its data is exchanged. */
  let isExchanging = false
  const tasks = openTasks({ place, log, wanted: wantedTasks, record: () => record })
  if (record) {
    if (record.user !== undefined) place.users?.keep(record.user)
    const next = withUser(record)
    if (next.user !== record.user) write(next)
    files.removeUnusedData(path, record)
    removeLeftDrafts(path)
    tasks.adopt()
  }

  let last: Promise<unknown> = Promise.resolve()
  /** One after the other; the first thing each does is to look whether it was overtaken. */
  function inTurn<T>({ fence }: Operation, work: () => Promise<T> | T): Promise<T> {
    const turn = last.then(() => {
      if (fence < (record?.fence ?? erasedFences.of(ref.serviceId)))
        throw new HostingError('overtaken', `operation ${fence} was overtaken`)
      return work()
    })
    last = turn.catch(() => undefined)
    return turn.finally(place.changed)
  }

  /** Its files become its user's, or what they were before users were given is left as it is. */
  function withUser({ user, ...found }: files.InstanceRecord): files.InstanceRecord {
    if (place.users === null) return found
    if (user !== undefined) return { ...found, user }
    const claimed = place.users.claim()
    files.makeFolders(path, found)
    giveToUser(path, found, claimed)
    return { ...found, user: claimed }
  }

  function write(next: files.InstanceRecord): void {
    files.writeInstance(path, next)
    record = next
  }

  function existing(): files.InstanceRecord {
    if (!record?.created) throw new HostingError('no_instance', `there is no service ${ref.code}`)
    return record
  }

  const needed = (config: InstanceConfig) => neededMemory(config, place.times.allowanceMb)

  function wantedTasks(): TaskSetting | null {
    if (isExchanging || !record?.created || record.wanted !== 'running' || !record.active) return null
    return { count: countOf(record.active.config), active: record.active }
  }

  return {
    ref,
    healthyTasks: tasks.healthy,
    wantsToRun: () => (wantedTasks()?.count ?? 0) > 0,
    reservedMb() {
      if (!record?.created || record.wanted !== 'running' || !record.active) return 0
      return Math.max(needed(record.active.config), needed(record.config))
    },
    sockets: () => tasks.all().map((task) => task.record.socket),
    letGo: tasks.letGo,
    shutDown: tasks.shutDown,

    state() {
      if (!record) return null
      const running = tasks.all().filter(({ removal }) => removal === null)
      const oldest = running.toSorted((a, b) => a.record.since - b.record.since)[0]
      return {
        ...ref,
        created: record.created,
        wanted: record.wanted,
        config: record.config,
        active: wantedTasks()?.active.config ?? null,
        running: oldest?.record.config ?? null,
        apps: record.apps.map(({ code, version }) => ({ code, version })),
        tasks: running.map((task) => ({
          number: task.record.number,
          started: task.record.since,
          limitMb: task.record.limitMb,
          usedMb: task.usedMb,
          healthy: task.healthy,
        })),
        healthy: running.some(({ healthy }) => healthy),
        fault: wantedTasks() ? tasks.fault() : null,
        address: place.address(),
      }
    },

    prepare: ({ name, config }, operation) =>
      inTurn(operation, async () => {
        if (!record) await place.requireRoom()
        if (!record?.created) place.requireMemory(config)
        mkdirSync(path, { recursive: true, mode: 0o700 })
        files.makeFolders(path, record ?? {})
        const hadData = record?.created
          ? record.hadData
          : (record?.hasPassword ?? false) && existsSync(files.dataFile(path, record ?? {}))
        const before = record ?? { apps: [], active: null, hasPassword: false, wanted: 'stopped' as const }
        const next = {
          ...before,
          ...ref,
          format: 1,
          name,
          created: true,
          hadData,
          fence: operation.fence,
          config,
        } as const
        write(withUser(next))
        return { address: place.address(), hadData }
      }),

    install: (apps, operation) =>
      inTurn(operation, async () => {
        existing()
        const installed = await installApps(join(path, 'apps'), apps)
        if (record?.user !== undefined) shareApps(path, record.user)
        write({ ...existing(), apps: installed, fence: operation.fence })
        removeUnused(join(path, 'apps'), [...installed, ...(record?.active?.apps ?? [])])
      }),

    configure: (config, operation) =>
      inTurn(operation, () => {
        const now = existing()
        if (needed(config) > needed(now.config)) place.requireMemory(config)
        write({ ...now, config, fence: operation.fence })
      }),

    start: ({ fresh }, operation) =>
      inTurn(operation, () => {
        const now = existing()
        const active = nextActive(now, fresh, operation.fence)
        const running = now.wanted === 'running' && now.active ? needed(now.active.config) : 0
        if (needed(active.config) > running) place.requireMemory(active.config)
        if (now.wanted === 'stopped') say('info', 'to run')
        else if (active !== now.active) say('info', 'to run anew')
        write({ ...now, wanted: 'running', active, fence: operation.fence })
        if (active === now.active && now.wanted === 'running') tasks.reconcile()
        else tasks.beginAnew()
      }),

    stop: (operation) =>
      inTurn(operation, async () => {
        const now = existing()
        if (now.wanted === 'running') say('info', 'to stop')
        write({ ...now, wanted: 'stopped', fence: operation.fence })
        await tasks.removeAll()
      }),

    setPassword: (password, operation) =>
      inTurn(operation, async () => {
        write({ ...existing(), fence: operation.fence })
        await setInstancePassword(
          programOf(place, existing()),
          existing().user,
          files.dataFolder(path, existing()),
          password,
        )
        write({ ...existing(), hasPassword: true })
        say('info', 'the password of admin was set')
      }),

    takeData: (draft, operation) =>
      inTurn(operation, async () => {
        existing()
        const from = draftPath(path, draft)
        if (!existsSync(join(from, 'instance.db')))
          throw new HostingError('unreachable', 'the data that was built is gone')
        const data = files.newDataName()
        isExchanging = true
        try {
          await tasks.removeAll()
          const { user } = existing()
          if (user !== undefined) chownTree(from, user, user)
          renameSync(from, join(path, data))
          syncFolder(path)
          // From here on it is the new one: nothing runs, and what begins goes by the record.
          write({ ...existing(), data, hasPassword: true, fence: operation.fence })
          say('info', 'its data was replaced')
        } finally {
          isExchanging = false
          tasks.beginAnew()
        }
        files.removeUnusedData(path, existing())
      }),

    remove: (operation) =>
      inTurn(operation, async () => {
        if (!record) return
        if (record.created) say('info', 'taken away; its data stays')
        write({ ...record, created: false, wanted: 'stopped', fence: operation.fence, apps: [], active: null })
        await tasks.removeAll()
        removeUnused(join(path, 'apps'), [])
      }),

    erase: (operation) =>
      inTurn(operation, async () => {
        if (record)
          write({ ...record, created: false, wanted: 'stopped', fence: operation.fence, apps: [], active: null })
        await tasks.removeAll()
        if (!existsSync(path)) return
        erasedFences.put(ref.serviceId, operation.fence)
        // Away at once: what is cut off half erased is never found as a service.
        const going = join(dirname(path), `${files.erased}${randomBytes(8).toString('hex')}`)
        renameSync(path, going)
        if (record?.user !== undefined) place.users?.release(record.user)
        record = null
        rmSync(going, files.removed)
      }),
  }
}

/** What tasks are to be started with from now on; the same object: as before. */
function nextActive(now: files.InstanceRecord, fresh: boolean, fence: number): files.ActiveSetting {
  const { active, config, apps } = now
  const number = (active?.number ?? 0) + 1
  const anew = { number, fence, config, apps }
  if (!active || now.wanted === 'stopped') return anew
  if (!fresh) return active
  const isSame = JSON.stringify([active.config, active.apps]) === JSON.stringify([config, apps])
  return active.fence >= fence && isSame ? active : anew
}
