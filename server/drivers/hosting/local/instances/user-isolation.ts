/** Isolates instances from each other and from the portal, by one system user per instance. Works only as root on Linux. */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, lchownSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { HostingError } from '#server/drivers/hosting/hosting-driver.ts'
import { readJsonFile, writeFileAtomically } from '#server/drivers/hosting/atomic-file.ts'
import { getDataFolder, type InstanceRecord } from '#server/drivers/hosting/local/instances/files.ts'

/** Range of user and group ids that nothing else on the system uses. */
export interface SystemUserRange {
  first: number
  last: number
}

export const canChangeUser = (): boolean => process.platform === 'linux' && process.getuid?.() === 0

const cannotEnterExit = 9
/** Exit code of the sample instance if it is called without a command. */
const usageExit = 2

/** Reason why instances cannot have their own users, or null if they can. `folder` contains all instances. */
export function findIsolationProblem(users: SystemUserRange | null, folder: string, program: string): string | null {
  if (users === null) return 'SERVICE_USERS is off'
  if (!canChangeUser()) return 'the portal does not run as root on Linux'
  const script = `cd "$0" || exit ${cannotEnterExit}; exec "$@"`
  const { status, error, stderr } = spawnSync('/bin/sh', ['-c', script, folder, process.execPath, program], {
    uid: users.first,
    gid: users.first,
    env: {},
    encoding: 'utf8',
    timeout: 20_000,
  })
  if (status === usageExit) return null
  if (status === cannotEnterExit) return `other users cannot access ${folder}, because a parent folder is private`
  const [line = ''] = (error?.message ?? stderr).trim().split('\n').slice(-1)
  return `user ${users.first} cannot run the program: ${line.slice(0, 300)}`
}

export interface UserPool {
  /** Throws HostingError `no_room` if all ids are in use. */
  claim(): number
  markClaimed(user: number): void
  release(user: number): void
}

/** Opens the pool of user ids. A released id is reused as late as possible, because files or processes may still belong to it. */
export function openUserPool(folder: string, { first, last }: SystemUserRange): UserPool {
  const path = join(folder, 'users.json')
  const claimedUsers = new Set<number>()
  return {
    claim() {
      const size = last - first + 1
      const start = readJsonFile<{ next: number }>(path)?.next ?? first
      for (let offset = 0; offset < size; offset++) {
        const user = first + ((start - first + offset + size) % size)
        if (claimedUsers.has(user)) continue
        claimedUsers.add(user)
        writeFileAtomically(path, JSON.stringify({ next: user + 1 > last ? first : user + 1 }))
        return user
      }
      throw new HostingError('no_room', `all ${size} users of SERVICE_USERS are in use`)
    },
    markClaimed: (user) => void claimedUsers.add(user),
    release: (user) => void claimedUsers.delete(user),
  }
}

/** Allows other users to traverse the folder to paths that they know, but not to list it. */
export const allowTraversal = (path: string): void => chmodSync(path, 0o711)

/**
 * Makes the user the owner of data, task logs and compile cache. Apps become readable for it; all other files stay with the host. Call this
 * only for a user that has never run a process: otherwise the folders may contain links that the user has created.
 */
export function assignToUser(instanceFolder: string, record: Pick<InstanceRecord, 'data'>, user: number): void {
  const cache = getCacheFolder(instanceFolder)
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  for (const folder of [getDataFolder(instanceFolder, record), join(instanceFolder, 'logs', 'tasks'), cache])
    chownTree(folder, user, user)
  shareApps(instanceFolder, user)
  for (const folder of [join(instanceFolder, 'logs'), instanceFolder]) {
    lchownSync(folder, 0, user)
    chmodSync(folder, 0o710)
  }
}

export const getCacheFolder = (instanceFolder: string): string => join(instanceFolder, 'cache')

/** Makes the apps readable for the group. Call this only while nobody but the host can write to the folder. */
export function shareApps(instanceFolder: string, group: number): void {
  chownTree(join(instanceFolder, 'apps'), 0, group, (path, isFolder) => chmodSync(path, isFolder ? 0o750 : 0o640))
}

/** Changes the owner of a folder and its content. Does not follow symbolic links. */
export function chownTree(
  path: string,
  user: number,
  group: number,
  setMode: (path: string, isFolder: boolean) => void = () => undefined,
): void {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return
  if (stats.isDirectory()) for (const name of readdirSync(path)) chownTree(join(path, name), user, group, setMode)
  lchownSync(path, user, group)
  if (stats.isDirectory() || stats.isFile()) setMode(path, stats.isDirectory())
}

/** Ends every process of the user, including those that tasks have started. Resolves when the command has ended. */
export function endUserProcesses(user: number): Promise<void> {
  const child = spawn('/bin/sh', ['-c', 'kill -KILL -1'], { uid: user, gid: user, env: {}, stdio: 'ignore' })
  return new Promise((resolve) => {
    child.on('error', () => resolve())
    child.on('close', () => resolve())
  })
}
