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
  const task = new InstanceTask(record, events, times)
  child.on('exit', (_code, name) => task.end(name === 'SIGABRT'))
  return task
}

/** Watches one process, which an earlier supervisor may have started. */
export class InstanceTask {
  readonly record: InstanceTaskRecord
  readonly #events: TaskEvents
  readonly #times: TaskTimes
  readonly #startedAt = Date.now()
  #usedMb: number | null = null
  #removalReason: TaskRemovalReason | null = null
  #isHealthy = false
  #hasAnswered = false
  #isFinished = false
  #missedCheckCount = 0
  #notifiedMb: number | null = null
  #removal: Promise<void> | null = null
  #timer: NodeJS.Timeout | undefined

  constructor(record: InstanceTaskRecord, events: TaskEvents, times: TaskTimes) {
    this.record = record
    this.#events = events
    this.#times = times
    this.#scheduleCheck()
  }

  /** MB; null: not known yet. */
  get usedMb(): number | null {
    return this.#usedMb
  }

  /** Null: nobody has requested its end. */
  get removalReason(): TaskRemovalReason | null {
    return this.#removalReason
  }

  /** It has answered the last health check. */
  get healthy(): boolean {
    return this.#isHealthy && this.#removalReason === null
  }

  /** It has missed so many checks that it does not count as starting any more. */
  get isUnresponsive(): boolean {
    return this.#missedCheckCount >= this.#times.unhealthyMisses && !this.#isStarting()
  }

  /** Resolves when it has ended. The first reason counts. */
  remove(reason: TaskRemovalReason): Promise<void> {
    this.#removalReason ??= reason
    this.#removal ??= this.#terminate()
    return this.#removal
  }

  /** Stops watching; the process goes on. */
  detach(): void {
    this.#isFinished = true
    clearTimeout(this.#timer)
  }

  end(isAbort: boolean): void {
    if (this.#isFinished) return
    this.detach()
    this.#isHealthy = false
    const errorOutput = readErrorOutput(this.record.socket)
    removeTaskFiles(this.record.socket)
    this.#events.onEnd(this, errorOutput, isAbort)
  }

  async #terminate(): Promise<void> {
    signal(this.record, 'SIGTERM')
    const deadline = Date.now() + this.#times.endMs
    for (let name: NodeJS.Signals | null = 'SIGKILL'; isRunning(this.record); await wait(15)) {
      if (name !== null && Date.now() > deadline) {
        signal(this.record, name)
        name = null
      }
    }
    this.end(false)
  }

  #isStarting(): boolean {
    return !this.#hasAnswered && Date.now() - this.#startedAt < this.#times.beginMs
  }

  async #check(): Promise<void> {
    if (!isRunning(this.record)) return this.end(false)
    const wasHealthy = this.#isHealthy
    const isAnswering = await this.#isAnswering()
    if (this.#isFinished) return
    this.#recordAnswer(isAnswering)
    this.#usedMb = readMemoryMb(this.record.pid)
    boundErrorFile(this.record.socket)
    const changeMb = Math.abs((this.#usedMb ?? 0) - (this.#notifiedMb ?? 0))
    if (wasHealthy !== this.#isHealthy || changeMb >= minNotifiedChangeMb) {
      this.#notifiedMb = this.#usedMb
      this.#events.onChange(this)
    }
    const fault = this.#removalReason === null ? this.#findFault() : null
    if (fault) this.#events.onUnfit(this, fault)
  }

  async #isAnswering(): Promise<boolean> {
    if (!lockSocketFolder(this.record)) return false
    const timeoutMs = this.#times.answerMs
    return await requestSocket(this.record.socket, { method: 'GET', path: '/health', timeoutMs }).then(
      ({ status }) => status === 200,
      () => false,
    )
  }

  #recordAnswer(isAnswering: boolean): void {
    this.#missedCheckCount = isAnswering ? 0 : this.#missedCheckCount + 1
    this.#hasAnswered ||= isAnswering
    this.#isHealthy = isAnswering || (this.#isHealthy && this.#missedCheckCount < this.#times.unhealthyMisses)
  }

  #findFault(): 'memory' | 'no_answer' | null {
    const { allowanceMb, replaceMisses } = this.#times
    if (this.#usedMb !== null && this.#usedMb > this.record.limitMb + allowanceMb) return 'memory'
    const isOverdue = this.#hasAnswered ? this.#missedCheckCount >= replaceMisses : !this.#isStarting()
    return isOverdue ? 'no_answer' : null
  }

  #scheduleCheck(): void {
    const scheduleNext = () => !this.#isFinished && this.#scheduleCheck()
    this.#timer = setTimeout(
      () => void this.#check().then(scheduleNext, scheduleNext),
      this.#isStarting() ? this.#times.firstCheckMs : this.#times.checkMs,
    )
  }
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
