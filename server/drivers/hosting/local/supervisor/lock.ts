/**
 * One supervisor for a folder. The lock is a file with a number in its name that says who holds it; whoever finds that the holder
 * of the highest number has ended makes the next one, which can be made once. A late one that makes a lower number sees the higher.
 * A holder of another machine or container on a shared folder is judged by the time of its file, which it renews.
 */
import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { readJsonFile } from '#server/drivers/hosting/local/atomic-file.ts'
import {
  identityOf,
  isOfHere,
  isRunning,
  type ProcessIdentity,
} from '#server/drivers/hosting/local/process-identity.ts'

const shape = /^supervisor\.lock\.(\d+)$/
const maxTries = 100
export interface LockTimes {
  renewMs: number
  /** Longer than three of them. */
  watchMs: number
  /** A file that is so much older is nobody's, without being watched. */
  oldMs: number
}
const usual: LockTimes = { renewMs: 1000, watchMs: 3500, oldMs: 60_000 }

/** Answers how to let go of it; null: another process holds it. */
export async function takeLock(folder: string, times: LockTimes = usual): Promise<(() => void) | null> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const own = identityOf(process.pid)
  if (!own) throw new Error('this process cannot see itself')
  const draft = join(folder, `supervisor.draft.${randomBytes(6).toString('hex')}`)
  writeFileSync(draft, JSON.stringify(own), { mode: 0o600 })
  try {
    for (let tries = 0; tries < maxTries; tries++) {
      const last = Math.max(0, ...numbersIn(folder))
      if (last > 0 && (await isHeld(pathOf(folder, last), times))) return null
      const taken = last + 1
      if (!link(draft, pathOf(folder, taken))) continue
      const others = numbersIn(folder)
      if (others.some((number) => number > taken)) {
        rmSync(pathOf(folder, taken), { force: true })
        continue
      }
      for (const number of others) if (number < taken) rmSync(pathOf(folder, number), { force: true })
      return hold(pathOf(folder, taken), times)
    }
    return null
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Whole or not at all: a reader never meets a lock that says of nobody. */
function link(draft: string, path: string): boolean {
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

const pathOf = (folder: string, number: number) => join(folder, `supervisor.lock.${number}`)
const numbersIn = (folder: string) => readdirSync(folder).flatMap((name) => Number(shape.exec(name)?.[1] ?? 0) || [])

function hold(path: string, { renewMs }: LockTimes): () => void {
  const renewing = setInterval(() => {
    try {
      utimesSync(path, new Date(), new Date())
    } catch {
      // Its folder was taken away: there is nothing left to hold.
    }
  }, renewMs)
  renewing.unref()
  return () => {
    clearInterval(renewing)
    rmSync(path, { force: true })
  }
}

async function isHeld(path: string, { watchMs, oldMs }: LockTimes): Promise<boolean> {
  const holder = readJsonFile<ProcessIdentity>(path)
  if (holder === null) return false
  if (isOfHere(holder)) return isRunning(holder)
  const before = timeOf(path)
  if (Date.now() - before > oldMs) return false
  await wait(watchMs)
  return timeOf(path) !== before
}

const timeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
