/**
 * One process of an instance. It is detached, so that it lives on without its supervisor; it does nothing before it is told that it
 * has been written down, so that none runs of which nobody knows.
 */
import {
  chownSync,
  closeSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { InstanceTaskRecord } from '#server/drivers/hosting/local/instances/files.ts'
import { type InstanceProgram, spawnProgram } from '#server/drivers/hosting/local/instances/spawn-program.ts'
import { readIdentity, isRunning, readMemoryMb, signal } from '#server/drivers/hosting/local/process-identity.ts'
import { requestSocket } from '#server/drivers/hosting/local/socket-http.ts'

/** Why a task is taken away by its supervisor. */
export type TaskRemovalReason = 'stopped' | 'replaced' | 'memory' | 'no_answer'

export interface InstanceTask {
  readonly record: InstanceTaskRecord
  /** It has answered the last health check. */
  readonly healthy: boolean
  /** MB; null: not known yet. */
  readonly usedMb: number | null
  /** Null: nobody has asked it to end. */
  readonly removalReason: TaskRemovalReason | null
  /** It has not answered so often that it does not count as beginning any more. */
  readonly isUnresponsive: boolean
  /** Resolves when it has ended, whoever asked first. */
  remove(reason: TaskRemovalReason): Promise<void>
  /** No more is watched or told; it runs on. */
  detach(): void
}

export interface TaskEvents {
  /** Its health or its memory is another. */
  onChange(task: InstanceTask): void
  /** Once. `words`: what it said last on standard error. */
  onEnd(task: InstanceTask, errorOutput: string, isAbort: boolean): void
  /** Holds no memory limit any more, or has not answered for too long. */
  onUnfit(task: InstanceTask, reason: 'memory' | 'no_answer'): void
}

export interface TaskTimes {
  /** Between two checks of one that has answered, and of one that is beginning. */
  checkMs: number
  firstCheckMs: number
  /** A check is missed after so long. */
  answerMs: number
  /** After so many misses it counts as not healthy, and is replaced. */
  unhealthyMisses: number
  replaceMisses: number
  /** How long it may take to begin, and to end. */
  beginMs: number
  endMs: number
  /** Above its limit, for what Node needs beside the heap. */
  allowanceMb: number
}

export const defaultTaskTimes: TaskTimes = {
  checkMs: 2000,
  firstCheckMs: 60,
  answerMs: 1500,
  unhealthyMisses: 3,
  replaceMisses: 10,
  beginMs: 20_000,
  endMs: 5000,
  allowanceMb: 100,
}

/** Beside the folder of the socket; of earlier builds beside the socket. */
const getErrorFilePath = (socket: string) =>
  socket.endsWith('.sock') ? socket.replace(/\.sock$/, '.err') : `${dirname(socket)}.err`
const maxErrorBytes = 8192
/** Memory goes up and down all the time: less than that is not told of. */
const minNotifiedChangeMb = 16
/** What one that says too much may have said before it is cut off. */
const maxErrorFileBytes = 1_000_000

/** `write` puts down that it runs; should that fail, it does not. */
export function startTask(
  program: InstanceProgram,
  setting: Omit<InstanceTaskRecord, 'pid' | 'started'>,
  argument: string,
  write: (record: InstanceTaskRecord) => void,
  events: TaskEvents,
  times: TaskTimes,
): InstanceTask | null {
  rmSync(setting.socket, { force: true })
  const errorFile = openSync(getErrorFilePath(setting.socket), 'a', 0o600)
  const child = spawnProgram(program, {
    args: ['serve', argument],
    limitMb: setting.limitMb,
    stdio: ['pipe', 'ignore', errorFile],
    detached: true,
    user: setting.user,
  })
  closeSync(errorFile)
  child.on('error', () => undefined)
  child.stdin?.on('error', () => undefined)
  const identity = child.pid === undefined ? null : readIdentity(child.pid)
  if (!identity) {
    child.stdin?.destroy()
    return null
  }
  const record: InstanceTaskRecord = { ...identity, ...setting }
  try {
    write(record)
  } catch (error) {
    // Nothing on its standard input: it ends by itself.
    child.stdin?.destroy()
    throw error
  }
  child.stdin?.end('go')
  child.unref()
  const task = watchTask(record, events, times)
  child.on('exit', (_code, name) => task.end(name === 'SIGABRT'))
  return task
}

/** One that an earlier supervisor has started. */
export const adoptTask = (record: InstanceTaskRecord, events: TaskEvents, times: TaskTimes): InstanceTask =>
  watchTask(record, events, times)

function watchTask(
  record: InstanceTaskRecord,
  events: TaskEvents,
  times: TaskTimes,
): InstanceTask & { end(isAbort: boolean): void } {
  let [isHealthy, missedCheckCount, hasAnswered, isFinished] = [false, 0, false, false]
  let usedMb: number | null = null
  let notifiedMb: number | null = null
  let removalReason: TaskRemovalReason | null = null
  const startedAt = Date.now()
  const isStarting = () => !hasAnswered && Date.now() - startedAt < times.beginMs
  let removalPromise: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined

  const task = {
    record,
    get healthy() {
      return isHealthy && removalReason === null
    },
    get usedMb() {
      return usedMb
    },
    get removalReason() {
      return removalReason
    },
    get isUnresponsive() {
      return missedCheckCount >= times.unhealthyMisses && !isStarting()
    },
    remove(reason: TaskRemovalReason) {
      removalReason ??= reason
      removalPromise ??= terminate()
      return removalPromise
    },
    detach() {
      isFinished = true
      clearTimeout(timer)
    },
    end,
  }

  function end(isAbort: boolean): void {
    if (isFinished) return
    isFinished = true
    isHealthy = false
    clearTimeout(timer)
    const errorOutput = readErrorOutput(record.socket)
    removeTaskFiles(record.socket)
    events.onEnd(task, errorOutput, isAbort)
  }

  async function terminate(): Promise<void> {
    signal(record, 'SIGTERM')
    const deadline = Date.now() + times.endMs
    for (let name: NodeJS.Signals | null = 'SIGKILL'; isRunning(record); await wait(15)) {
      if (name !== null && Date.now() > deadline) {
        signal(record, name)
        name = null
      }
    }
    end(false)
  }

  async function check(): Promise<void> {
    if (!isRunning(record)) return end(false)
    const wasHealthy = isHealthy
    const isCheckPassed =
      lockSocketFolder(record) &&
      (await requestSocket(record.socket, { method: 'GET', path: '/health', timeoutMs: times.answerMs }).then(
        ({ status }) => status === 200,
        () => false,
      ))
    if (isFinished) return
    missedCheckCount = isCheckPassed ? 0 : missedCheckCount + 1
    hasAnswered ||= isCheckPassed
    if (isCheckPassed) isHealthy = true
    else if (missedCheckCount >= times.unhealthyMisses) isHealthy = false
    usedMb = readMemoryMb(record.pid)
    boundErrorFile(record.socket)
    if (wasHealthy !== isHealthy || Math.abs((usedMb ?? 0) - (notifiedMb ?? 0)) >= minNotifiedChangeMb) {
      notifiedMb = usedMb
      events.onChange(task)
    }
    if (removalReason !== null) return
    const isStartOverdue = !hasAnswered && !isStarting()
    if (usedMb !== null && usedMb > record.limitMb + times.allowanceMb) events.onUnfit(task, 'memory')
    else if (isStartOverdue || (hasAnswered && missedCheckCount >= times.replaceMisses))
      events.onUnfit(task, 'no_answer')
  }

  function scheduleCheck(): void {
    timer = setTimeout(
      () => {
        check().then(
          () => !isFinished && scheduleCheck(),
          () => !isFinished && scheduleCheck(),
        )
      },
      isStarting() ? times.firstCheckMs : times.checkMs,
    )
  }
  scheduleCheck()
  return task
}

/** The end of the file alone: a task may have written without end since it was checked. */
function readErrorOutput(socket: string): string {
  try {
    const file = openSync(getErrorFilePath(socket), 'r')
    try {
      const { size } = fstatSync(file)
      const errorBytes = Buffer.alloc(Math.min(size, maxErrorBytes))
      readSync(file, errorBytes, 0, errorBytes.length, size - errorBytes.length)
      return errorBytes.toString('utf8')
    } finally {
      closeSync(file)
    }
  } catch {
    return ''
  }
}

function boundErrorFile(socket: string): void {
  try {
    if (statSync(getErrorFilePath(socket)).size > maxErrorFileBytes) truncateSync(getErrorFilePath(socket))
  } catch {
    // It has ended, and its words were read.
  }
}

function removeTaskFiles(socket: string): void {
  rmSync(getErrorFilePath(socket), { force: true })
  rmSync(socket, { force: true })
  if (!socket.endsWith('.sock')) removeSocketFiles(dirname(socket))
}

/** A file, or the folder of one task. What its user may have left there stays: nobody goes into it. */
export function removeSocketFiles(path: string): void {
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) {
      rmSync(join(path, 's'), { force: true })
      rmdirSync(path)
    } else rmSync(path, { force: true })
  } catch {
    // Not empty.
  }
}

/**
 * Once a task listens, its user cannot put anything else in the place of its socket: we would speak to whatever that led to. False: it does
 * not listen yet, or something else is there.
 */
function lockSocketFolder({ socket, user }: InstanceTaskRecord): boolean {
  if (user === undefined) return true
  const folder = dirname(socket)
  try {
    if (lstatSync(folder).uid !== 0) {
      lstatSync(socket)
      chownSync(folder, 0, 0)
    }
    const stats = lstatSync(socket)
    return stats.isSocket() && stats.uid === user
  } catch {
    return false
  }
}
