/**
 * Starts and checks a task. Its process is detached, so that it survives the supervisor. The process begins its work only after it was
 * recorded, so that there are no unrecorded tasks.
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
import { requestSocket } from '#server/drivers/hosting/gateway/socket-http.ts'

export type TaskRemovalReason = 'stopped' | 'replaced' | 'memory' | 'no_answer'

export interface TaskEvents {
  onChange(task: InstanceTask): void
  /** Called once, when the process has ended. `errorOutput` is the end of its standard error; `isAbort` means that it ended by SIGABRT. */
  onEnd(task: InstanceTask, errorOutput: string, isAbort: boolean): void
  /** Called if the task exceeds its memory limit, or has not responded for too long. */
  onUnfit(task: InstanceTask, reason: 'memory' | 'no_answer'): void
}

export interface TaskTimes {
  /** Time in ms between two health checks of a task: normally, and while it starts. */
  checkMs: number
  firstCheckMs: number
  /** Timeout of a health check in ms. */
  answerMs: number
  /** Number of failed checks in a row after which a task is unhealthy, and after which it is replaced. */
  unhealthyMisses: number
  replaceMisses: number
  /** Maximum time in ms that a task may take to start, and to end. */
  beginMs: number
  endMs: number
  /** Memory in MB that a task may use above its limit, because Node needs memory outside the heap. */
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

/** Returns the path of the file for standard error, next to the folder of the socket. Earlier builds put it next to the socket itself. */
const getErrorFilePath = (socket: string) =>
  socket.endsWith('.sock') ? socket.replace(/\.sock$/, '.err') : `${dirname(socket)}.err`
const maxErrorBytes = 8192
/** Minimum change of the memory usage in MB that is reported, because the usage varies all the time. */
const minNotifiedChangeMb = 16
/** Maximum size of the error file in bytes. A larger file is truncated. */
const maxErrorFileBytes = 1_000_000

/** Starts the process. `write` records the task; if it throws, the task does not run. Returns null if the process is not running. */
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
    // The process ends by itself, because it receives no `go` on standard input.
    child.stdin?.destroy()
    throw error
  }
  child.stdin?.end('go')
  child.unref()
  const task = new InstanceTask(record, events, times)
  child.on('exit', (_code, name) => task.end(name === 'SIGABRT'))
  return task
}

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

  /** Used memory in MB. Null if it is not measured yet. */
  get usedMb(): number | null {
    return this.#usedMb
  }

  get removalReason(): TaskRemovalReason | null {
    return this.#removalReason
  }

  /** True if the task responds to health checks and is not being removed. */
  get healthy(): boolean {
    return this.#isHealthy && this.#removalReason === null
  }

  /** True if the task has failed several checks in a row and is no longer starting. */
  get isUnresponsive(): boolean {
    return this.#missedCheckCount >= this.#times.unhealthyMisses && !this.isStarting()
  }

  /** Ends the task. Resolves when the process has ended. If called again, the first reason stays. */
  remove(reason: TaskRemovalReason): Promise<void> {
    this.#removalReason ??= reason
    this.#removal ??= this.#terminate()
    return this.#removal
  }

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

  /** True until the first response, for a limited time. A task that was taken over begins again. */
  isStarting(): boolean {
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
    const isOverdue = this.#hasAnswered ? this.#missedCheckCount >= replaceMisses : !this.isStarting()
    return isOverdue ? 'no_answer' : null
  }

  #scheduleCheck(): void {
    const scheduleNext = () => !this.#isFinished && this.#scheduleCheck()
    this.#timer = setTimeout(
      () => void this.#check().then(scheduleNext, scheduleNext),
      this.isStarting() ? this.#times.firstCheckMs : this.#times.checkMs,
    )
  }
}

/** Reads only the end of the file, because a task may have written any amount since the last check. */
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
    // Ignored: the task has ended and its output was read.
  }
}

function removeTaskFiles(socket: string): void {
  rmSync(getErrorFilePath(socket), { force: true })
  rmSync(socket, { force: true })
  if (!socket.endsWith('.sock')) removeSocketFiles(dirname(socket))
}

/** Removes a socket file, or the folder of one task. A folder with other files, created by the task's user, stays. */
export function removeSocketFiles(path: string): void {
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) {
      rmSync(join(path, 's'), { force: true })
      rmdirSync(path)
    } else rmSync(path, { force: true })
  } catch {
    // The folder is not empty.
  }
}

/** Makes root the owner of the folder, because the task's user could replace the socket. Returns false if there is no socket yet. */
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
