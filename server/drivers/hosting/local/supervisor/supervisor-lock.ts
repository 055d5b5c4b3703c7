/**
 * Ensures that there is one supervisor per folder. The lock is a numbered file that names its holder. If the holder of the highest number
 * has ended, one process can create the next number. A process that creates a lower number too late sees the higher one and removes its
 * file. A shared folder may have a holder on another machine or in another container. That holder renews the modification time of its file,
 * by which others see that it runs.
 */
import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { readJsonFile } from '#server/drivers/hosting/atomic-file.ts'
import {
  readIdentity,
  isOfThisHost,
  isRunning,
  type ProcessIdentity,
} from '#server/drivers/hosting/local/process-identity.ts'

const lockNamePattern = /^supervisor\.lock\.(\d+)$/
const maxTries = 100
export interface LockTimes {
  renewMs: number
  /** Time in ms for which a file of another host is watched for a renewal. Longer than three renewals. */
  watchMs: number
  /** Age in ms from which a file of another host is regarded as abandoned without watching it. */
  oldMs: number
}
const defaultTimes: LockTimes = { renewMs: 1000, watchMs: 3500, oldMs: 60_000 }

/** Returns a release function, or null if another process holds the lock. */
export async function acquireLock(folder: string, times: LockTimes = defaultTimes): Promise<(() => void) | null> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const ownProcess = readIdentity(process.pid)
  if (!ownProcess) throw new Error('could not read the identity of this process')
  const draft = join(folder, `supervisor.draft.${randomBytes(6).toString('hex')}`)
  writeFileSync(draft, JSON.stringify(ownProcess), { mode: 0o600 })
  try {
    for (let tries = 0; tries < maxTries; tries++) {
      const lastNumber = Math.max(0, ...listLockNumbers(folder))
      if (lastNumber > 0 && (await isHeld(getLockPath(folder, lastNumber), times))) return null
      const lockNumber = lastNumber + 1
      if (!linkDraft(draft, getLockPath(folder, lockNumber))) continue
      const lockNumbers = listLockNumbers(folder)
      if (lockNumbers.some((number) => number > lockNumber)) {
        rmSync(getLockPath(folder, lockNumber), { force: true })
        continue
      }
      for (const number of lockNumbers) if (number < lockNumber) rmSync(getLockPath(folder, number), { force: true })
      return holdLock(getLockPath(folder, lockNumber), times)
    }
    return null
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Creates the lock file with its content in one step, so that a reader never sees an empty lock file. Returns false if it exists. */
function linkDraft(draft: string, path: string): boolean {
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

const getLockPath = (folder: string, number: number) => join(folder, `supervisor.lock.${number}`)
const listLockNumbers = (folder: string) =>
  readdirSync(folder).flatMap((name) => Number(lockNamePattern.exec(name)?.[1] ?? 0) || [])

function holdLock(path: string, { renewMs }: LockTimes): () => void {
  const renewTimer = setInterval(() => {
    try {
      utimesSync(path, new Date(), new Date())
    } catch {
      // The folder was removed, so there is no lock left to renew.
    }
  }, renewMs)
  renewTimer.unref()
  return () => {
    clearInterval(renewTimer)
    rmSync(path, { force: true })
  }
}

async function isHeld(path: string, { watchMs, oldMs }: LockTimes): Promise<boolean> {
  const holder = readJsonFile<ProcessIdentity>(path)
  if (holder === null) return false
  if (isOfThisHost(holder)) return isRunning(holder)
  const previousTime = readModifiedTime(path)
  if (Date.now() - previousTime > oldMs) return false
  await wait(watchMs)
  return readModifiedTime(path) !== previousTime
}

const readModifiedTime = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
