/**
 * One process per data folder: two that open it both go on acknowledging, and one's writes are lost without an error
 * . The engine takes no lock, so this one is taken before it opens.
 *
 * Whether the holder lives is judged exactly where that is possible: same machine, same process namespace, pid and start
 * time. Elsewhere (another container or host on a shared folder) by its heartbeat, watched for longer than it pauses.
 */
import { readFileSync, readlinkSync } from 'node:fs'
import { link, mkdir, readFile, rm, rmdir, stat, unlink, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { StartProblem } from '#server/config/config.ts'

interface LockHolder {
  pid: number
  /** Start of the process, so that a pid that was given out again is not mistaken for the holder. */
  started: string
  /** Machine, boot and process namespace within which the pid means anything. */
  where: string
}

export interface FolderLock {
  release(): Promise<void>
}

interface LockTimings {
  heartbeatMs: number
  /** Longer than three of them. */
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

/** Whole or not at all: a reader never meets a lock that has no holder in it yet. */
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

/** Of several that find the same dead lock one goes on: making a folder succeeds once. */
async function takeOver(folder: string, path: string, ownText: string, watchMs: number): Promise<void> {
  const takeoverFolder = `${path}.takeover`
  const deadline = Date.now() + watchMs
  for (;;) {
    try {
      await mkdir(takeoverFolder)
      break
    } catch (error) {
      if (!hasErrorCode(error, 'EEXIST')) throw error
      // One that died at the door leaves it shut.
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
    // Looked at again behind the door: the one before us may have taken it.
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
    // A process that exists and cannot be looked at is taken for the holder. So is this very process, asked twice.
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

/** Start in ticks since boot; empty: it exists, and no more is known (no /proc here). Null: no such process. */
function readProcessStart(pid: number): string | null {
  try {
    // After the name, which may hold blanks and brackets.
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
