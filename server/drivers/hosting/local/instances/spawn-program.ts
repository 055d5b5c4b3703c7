/**
 * Starts the program of an instance. It gets nothing of our environment, and the system holds it to its memory beyond what Node's own
 * limit and the look at it every two seconds do. When processor or memory are short, the portal comes first.
 */
import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'

export interface InstanceProgram {
  /** Of the script. */
  path: string
  env: Record<string, string>
}

export interface SpawnOptions {
  /** Whose process it is; undefined: of the user that we are. */
  user?: number | undefined
  args: readonly string[]
  /** MB of the JavaScript heap. */
  limitMb: number
  stdio: StdioOptions
  detached?: boolean
}

/** What Node takes as data before it begins, nearly all of it never touched, and what it needs beside the heap. */
const beyondHeapMb = 1000
/** Processes and threads of one user. */
const maxThreads = 512
const niceness = 5
/** Of -1000 to 1000: who goes first when memory is out. */
const outOfMemoryScore = 500

export function spawnProgram(
  program: InstanceProgram,
  { args, limitMb, stdio, detached, user }: SpawnOptions,
): ChildProcess {
  const flags = [`--max-old-space-size=${limitMb}`, '--disable-warning=ExperimentalWarning']
  const command = [process.execPath, ...flags, program.path, ...args]
  // The one is dash's, the other everybody else's.
  const threads =
    user === undefined ? '' : `ulimit -p ${maxThreads} 2>/dev/null || ulimit -u ${maxThreads} 2>/dev/null; `
  const limits = `ulimit -c 0; ulimit -d ${(limitMb + beyondHeapMb) * 1024}; ${threads}exec "$@"`
  const [file = '', ...programArgs] =
    process.platform === 'win32' ? command : ['/bin/sh', '-c', limits, 'sh', ...command]
  const child = spawn(file, programArgs, {
    stdio,
    env: program.env,
    windowsHide: true,
    // With another user goes every further group that we are in.
    ...(user === undefined ? {} : { uid: user, gid: user }),
    ...(detached ? { detached } : {}),
  })
  lowerPriority(child.pid)
  return child
}

function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return
  const attempts = [
    () => setPriority(pid, niceness),
    // A task is a session of its own: where the kernel groups by session, niceness counts inside the group alone, and the group has its own.
    () => writeFileSync(`/proc/${pid}/autogroup`, String(niceness)),
    () => writeFileSync(`/proc/${pid}/oom_score_adj`, String(outOfMemoryScore)),
  ]
  for (const attempt of attempts) {
    try {
      attempt()
    } catch {
      // It has ended, or the system does not let us.
    }
  }
}
