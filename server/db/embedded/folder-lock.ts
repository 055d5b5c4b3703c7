/**
 * Allows one process per data folder. Two processes on the same folder would both acknowledge writes, and the writes of one would be lost
 * without an error. The engine itself takes no lock, so this lock is taken before the engine opens.
 *
 * If the holder is in the same process namespace of the same machine, its pid and start time show whether it is alive. Otherwise (another
 * container or host on a shared folder) its heartbeat is watched for longer than the interval between two heartbeats.
 */
import { readFileSync, readlinkSync } from 'node:fs'
import { link, mkdir, readFile, rm, rmdir, stat, unlink, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { StartProblem } from '#server/config/config.ts'

interface LockHolder {
  pid: number
  /** Start time of the process, so that another process with the same pid is not taken for the holder. */
  started: string
  /** Machine, boot and process namespace in which the pid is valid. */
  where: string
}

export interface FolderLock {
  release(): Promise<void>
}

interface LockTimings {
  heartbeatMs: number
  /** Time for which another holder's heartbeat is watched, in ms. Longer than three heartbeat intervals. */
  watchMs: number
}

const defaultTimings: LockTimings = { heartbeatMs: 1000, watchMs: 3500 }

export async function lockFolder(
  folder: string,
  { heartbeatMs, watchMs }: LockTimings = defaultTimings,
): Promise<FolderLock> {
  const path = join(folder, 'portal.lock')
  const ownText = JSON.stringify(describeSelf())
  if (!(await createLockFile(path, ownText))) {
    await refuseIfAlive(folder, path, watchMs)
    await takeOver(folder, path, ownText, watchMs)
  }
  const heartbeat = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => undefined), heartbeatMs)
  heartbeat.unref()
  return {
    async release() {
      clearInterval(heartbeat)
      await unlink(path).catch(() => undefined)
    },
  }
}

/** Returns false if there is a lock file. The file is written atomically, so a reader never sees a lock file without a holder. */
async function createLockFile(path: string, text: string): Promise<boolean> {
  const draftPath = `${path}.${process.pid}`
  await writeFile(draftPath, text, { flag: 'w' })
  try {
    await link(draftPath, path)
    return true
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) return false
    throw error
  } finally {
    await unlink(draftPath)
  }
}

async function refuseIfAlive(folder: string, path: string, watchMs: number): Promise<void> {
  const text = await readFile(path, 'utf8').catch(() => '')
  const holder = parseHolder(text)
  if (!(await isAlive(path, holder, watchMs))) return
  const holderName = holder ? `process ${holder.pid}` : 'another process'
  throw new StartProblem(
    `The data folder ${folder} is in use by ${holderName}: stop it, or set DATA_DIR to another folder.`,
  )
}

/**
 * Replaces the lock of a dead holder. If several processes do this at the same time, only one succeeds, because a folder can be created
 * only once.
 */
async function takeOver(folder: string, path: string, ownText: string, watchMs: number): Promise<void> {
  const takeoverFolder = `${path}.takeover`
  const deadline = Date.now() + watchMs
  for (;;) {
    try {
      await mkdir(takeoverFolder)
      break
    } catch (error) {
      if (!hasErrorCode(error, 'EEXIST')) throw error
      // A process that died during the takeover leaves the takeover folder behind.
      const age = await stat(takeoverFolder).then(
        ({ mtimeMs }) => Date.now() - mtimeMs,
        () => 0,
      )
      if (age > watchMs) await rmdir(takeoverFolder).catch(() => undefined)
      else if (Date.now() > deadline) return refuseIfAlive(folder, path, watchMs)
      await wait(50)
    }
  }
  try {
    // Checked again after the takeover folder is created, because another process may have taken the lock before.
    await refuseIfAlive(folder, path, watchMs)
    await rm(path, { force: true })
    if (!(await createLockFile(path, ownText))) await refuseIfAlive(folder, path, watchMs)
  } finally {
    await rmdir(takeoverFolder)
  }
}

async function isAlive(path: string, holder: LockHolder | null, watchMs: number): Promise<boolean> {
  if (holder && holder.where === describeSelf().where) {
    const started = readProcessStart(holder.pid)
    // A running process whose start time cannot be read is taken for the holder. If this process opens the folder twice, it finds itself as
    // the holder.
    return started !== null && (started === '' || started === holder.started)
  }
  const firstHeartbeat = await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => null,
  )
  await wait(watchMs)
  const lastHeartbeat = await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => null,
  )
  return lastHeartbeat !== null && lastHeartbeat !== firstHeartbeat
}

function parseHolder(text: string): LockHolder | null {
  try {
    const { pid, started, where } = JSON.parse(text) as LockHolder
    return { pid, started, where }
  } catch {
    return null
  }
}

const describeSelf = (): LockHolder => ({
  pid: process.pid,
  started: readProcessStart(process.pid) ?? '',
  where: getProcessSpace(),
})

/**
 * Returns the start time of a process in ticks since boot. Returns an empty text if the process exists but there is no /proc, and null if
 * there is no process.
 */
function readProcessStart(pid: number): string | null {
  try {
    // Skips the process name, which may contain blanks and brackets.
    return (
      readFileSync(`/proc/${pid}/stat`, 'latin1')
        .replace(/^.*\) /s, '')
        .split(' ')[19] ?? ''
    )
  } catch {
    return isProcessRunning(pid) ? '' : null
  }
}

function isProcessRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return hasErrorCode(error, 'EPERM')
  }
}

function getProcessSpace(): string {
  try {
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${bootId} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname()
  }
}

const hasErrorCode = (error: unknown, code: string) => error instanceof Error && 'code' in error && error.code === code
