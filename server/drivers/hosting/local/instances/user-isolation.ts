/**
 * Users of the operating system for instances: each has a number of its own, so that it reaches neither the files of others and of the
 * portal nor their processes. Only root on Linux can do this.
 */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, lchownSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { HostingError } from '#server/drivers/hosting/driver.ts'
import { readJsonFile, writeWhole } from '#server/drivers/hosting/local/atomic-file.ts'
import { dataFolder, type InstanceRecord } from '#server/drivers/hosting/local/instances/files.ts'

/** Numbers of users, and of groups, that nobody else has. */
export interface UserRange {
  first: number
  last: number
}

export const canChangeUser = (): boolean => process.platform === 'linux' && process.getuid?.() === 0

const cannotEnter = 9
/** Of the sample instance, called without a command. */
const usageExit = 2

/** Why instances cannot have users of their own; null: they can. `folder`: that of all instances. */
export function findIsolationProblem(users: UserRange | null, folder: string, program: string): string | null {
  if (users === null) return 'SERVICE_USERS is off'
  if (!canChangeUser()) return 'the portal does not run as root on Linux'
  const script = `cd "$0" || exit ${cannotEnter}; exec "$@"`
  const { status, error, stderr } = spawnSync('/bin/sh', ['-c', script, folder, process.execPath, program], {
    uid: users.first,
    gid: users.first,
    env: {},
    encoding: 'utf8',
    timeout: 20_000,
  })
  if (status === usageExit) return null
  if (status === cannotEnter) return `other users cannot enter ${folder}: a folder above it is closed to them`
  const [line = ''] = (error?.message ?? stderr).trim().split('\n').slice(-1)
  return `the program cannot be run by the user ${users.first}: ${line.slice(0, 300)}`
}

export interface UserPool {
  /** Throws HostingError `no_room` where all are taken. */
  claim(): number
  keep(user: number): void
  release(user: number): void
}

/** One that was released is given again as late as possible: something of it may be left. */
export function openUserPool(folder: string, { first, last }: UserRange): UserPool {
  const path = join(folder, 'users.json')
  const taken = new Set<number>()
  return {
    claim() {
      const size = last - first + 1
      const start = readJsonFile<{ next: number }>(path)?.next ?? first
      for (let at = 0; at < size; at++) {
        const user = first + ((start - first + at + size) % size)
        if (taken.has(user)) continue
        taken.add(user)
        writeWhole(path, JSON.stringify({ next: user + 1 > last ? first : user + 1 }))
        return user
      }
      throw new HostingError('no_room', `all ${size} users for services are taken`)
    },
    keep: (user) => void taken.add(user),
    release: (user) => void taken.delete(user),
  }
}

/** Other users may pass through it to what they know of, and not see what is in it. */
export const openForPassing = (path: string): void => chmodSync(path, 0o711)

/**
 * The folder of an instance for its user: data, its tasks' logs and what Node compiles belong to it, apps are readable, all else is
 * the host's. The user must never have run: what it could write, it could lead elsewhere.
 */
export function giveToUser(place: string, record: Pick<InstanceRecord, 'data'>, user: number): void {
  const cache = cacheFolder(place)
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  for (const folder of [dataFolder(place, record), join(place, 'logs', 'tasks'), cache]) chownTree(folder, user, user)
  shareApps(place, user)
  for (const folder of [join(place, 'logs'), place]) {
    lchownSync(folder, 0, user)
    chmodSync(folder, 0o710)
  }
}

/** Folder of what Node has compiled for the user alone. */
export const cacheFolder = (place: string): string => join(place, 'cache')

/** Of a folder that only the host writes to. */
export function shareApps(place: string, group: number): void {
  chownTree(join(place, 'apps'), 0, group, (path, isFolder) => chmodSync(path, isFolder ? 0o750 : 0o640))
}

/** Follows no link. */
export function chownTree(
  path: string,
  user: number,
  group: number,
  setMode: (path: string, isFolder: boolean) => void = () => undefined,
): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) return
  if (found.isDirectory()) for (const name of readdirSync(path)) chownTree(join(path, name), user, group, setMode)
  lchownSync(path, user, group)
  if (found.isDirectory() || found.isFile()) setMode(path, found.isDirectory())
}

/** Ends every process of the user, also what a task has started and left. Resolves when it was done. */
export function endProcessesOf(user: number): Promise<void> {
  const child = spawn('/bin/sh', ['-c', 'kill -KILL -1'], { uid: user, gid: user, env: {}, stdio: 'ignore' })
  return new Promise((done) => {
    child.on('error', () => done())
    child.on('close', () => done())
  })
}
