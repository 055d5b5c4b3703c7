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
import type { TaskRecord } from '#server/drivers/hosting/local/instances/files.ts'
import { type InstanceProgram, spawnProgram } from '#server/drivers/hosting/local/instances/spawn-program.ts'
import { identityOf, isRunning, memoryOf, signal } from '#server/drivers/hosting/local/process-identity.ts'
import { askSocket } from '#server/drivers/hosting/local/socket-http.ts'

/** Why a task is taken away by its supervisor. */
export type Removal = 'stopped' | 'replaced' | 'memory' | 'no_answer'

export interface Task {
  readonly record: TaskRecord
  /** It has answered the last health check. */
  readonly healthy: boolean
  /** MB; null: not known yet. */
  readonly usedMb: number | null
  /** Null: nobody has asked it to end. */
  readonly removal: Removal | null
  /** It has not answered so often that it does not count as beginning any more. */
  readonly isMute: boolean
  /** Resolves when it has ended, whoever asked first. */
  remove(why: Removal): Promise<void>
  /** No more is watched or told; it runs on. */
  letGo(): void
}

export interface TaskEvents {
  /** Its health or its memory is another. */
  changed(task: Task): void
  /** Once. `words`: what it said last on standard error. */
  ended(task: Task, words: string, isAbort: boolean): void
  /** Holds no memory limit any more, or has not answered for too long. */
  unfit(task: Task, why: 'memory' | 'no_answer'): void
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

export const usualTimes: TaskTimes = {
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
const wordsPath = (socket: string) =>
  socket.endsWith('.sock') ? socket.replace(/\.sock$/, '.err') : `${dirname(socket)}.err`
const maxWords = 8192
/** Memory goes up and down all the time: less than that is not told of. */
const tellMb = 16
/** What one that says too much may have said before it is cut off. */
const maxWordsFile = 1_000_000

/** `write` puts down that it runs; should that fail, it does not. */
export function startTask(
  program: InstanceProgram,
  setting: Omit<TaskRecord, 'pid' | 'started'>,
  argument: string,
  write: (record: TaskRecord) => void,
  events: TaskEvents,
  times: TaskTimes,
): Task | null {
  rmSync(setting.socket, { force: true })
  const words = openSync(wordsPath(setting.socket), 'a', 0o600)
  const child = spawnProgram(program, {
    args: ['serve', argument],
    limitMb: setting.limitMb,
    stdio: ['pipe', 'ignore', words],
    detached: true,
    user: setting.user,
  })
  closeSync(words)
  child.on('error', () => undefined)
  child.stdin?.on('error', () => undefined)
  const identity = child.pid === undefined ? null : identityOf(child.pid)
  if (!identity) {
    child.stdin?.destroy()
    return null
  }
  const record: TaskRecord = { ...identity, ...setting }
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
export const adoptTask = (record: TaskRecord, events: TaskEvents, times: TaskTimes): Task =>
  watchTask(record, events, times)

function watchTask(record: TaskRecord, events: TaskEvents, times: TaskTimes): Task & { end(isAbort: boolean): void } {
  let [healthy, misses, hasAnswered, isOver] = [false, 0, false, false]
  let usedMb: number | null = null
  let toldMb: number | null = null
  let removal: Removal | null = null
  const begun = Date.now()
  const isBeginning = () => !hasAnswered && Date.now() - begun < times.beginMs
  let removing: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined

  const task = {
    record,
    get healthy() {
      return healthy && removal === null
    },
    get usedMb() {
      return usedMb
    },
    get removal() {
      return removal
    },
    get isMute() {
      return misses >= times.unhealthyMisses && !isBeginning()
    },
    remove(why: Removal) {
      removal ??= why
      removing ??= takeAway()
      return removing
    },
    letGo() {
      isOver = true
      clearTimeout(timer)
    },
    end,
  }

  function end(isAbort: boolean): void {
    if (isOver) return
    isOver = true
    healthy = false
    clearTimeout(timer)
    const words = lastWords(record.socket)
    forgetFiles(record.socket)
    events.ended(task, words, isAbort)
  }

  async function takeAway(): Promise<void> {
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
    const was = healthy
    const answered =
      closeSocketFolder(record) &&
      (await askSocket(record.socket, { method: 'GET', path: '/health', timeoutMs: times.answerMs }).then(
        ({ status }) => status === 200,
        () => false,
      ))
    if (isOver) return
    misses = answered ? 0 : misses + 1
    hasAnswered ||= answered
    if (answered) healthy = true
    else if (misses >= times.unhealthyMisses) healthy = false
    usedMb = memoryOf(record.pid)
    boundWords(record.socket)
    if (was !== healthy || Math.abs((usedMb ?? 0) - (toldMb ?? 0)) >= tellMb) {
      toldMb = usedMb
      events.changed(task)
    }
    if (removal !== null) return
    const isLate = !hasAnswered && !isBeginning()
    if (usedMb !== null && usedMb > record.limitMb + times.allowanceMb) events.unfit(task, 'memory')
    else if (isLate || (hasAnswered && misses >= times.replaceMisses)) events.unfit(task, 'no_answer')
  }

  function again(): void {
    timer = setTimeout(
      () => {
        check().then(
          () => !isOver && again(),
          () => !isOver && again(),
        )
      },
      isBeginning() ? times.firstCheckMs : times.checkMs,
    )
  }
  again()
  return task
}

/** The end of the file alone: a task may have written without end since it was checked. */
function lastWords(socket: string): string {
  try {
    const file = openSync(wordsPath(socket), 'r')
    try {
      const { size } = fstatSync(file)
      const words = Buffer.alloc(Math.min(size, maxWords))
      readSync(file, words, 0, words.length, size - words.length)
      return words.toString('utf8')
    } finally {
      closeSync(file)
    }
  } catch {
    return ''
  }
}

function boundWords(socket: string): void {
  try {
    if (statSync(wordsPath(socket)).size > maxWordsFile) truncateSync(wordsPath(socket))
  } catch {
    // It has ended, and its words were read.
  }
}

function forgetFiles(socket: string): void {
  rmSync(wordsPath(socket), { force: true })
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
function closeSocketFolder({ socket, user }: TaskRecord): boolean {
  if (user === undefined) return true
  const folder = dirname(socket)
  try {
    if (lstatSync(folder).uid !== 0) {
      lstatSync(socket)
      chownSync(folder, 0, 0)
    }
    const found = lstatSync(socket)
    return found.isSocket() && found.uid === user
  } catch {
    return false
  }
}
