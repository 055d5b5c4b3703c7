/**
 * Starts the program of an instance. It gets no environment variables of the portal. The system limits its memory, in addition to Node's
 * own limit.
 */
import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'

export interface InstanceProgram {
  path: string
  env: Record<string, string>
}

export interface SpawnOptions {
  /** User id of the process. Undefined for the current user. */
  user?: number | undefined
  args: readonly string[]
  limitMb: number
  stdio: StdioOptions
  detached?: boolean
}

/** Memory in MB that a process may use outside its heap: what Node reserves at its start and hardly uses, and what it needs later. */
const beyondHeapMb = 1000
const maxThreads = 512
const niceness = 5
/** Value from -1000 to 1000. Linux kills processes with a higher score first when memory runs out. */
const outOfMemoryScore = 500

export function spawnProgram(
  program: InstanceProgram,
  { args, limitMb, stdio, detached, user }: SpawnOptions,
): ChildProcess {
  const flags = [`--max-old-space-size=${limitMb}`, '--disable-warning=ExperimentalWarning']
  const command = [process.execPath, ...flags, program.path, ...args]
  // `ulimit -p` sets the limit of threads in dash, `-u` in other shells.
  const threads =
    user === undefined ? '' : `ulimit -p ${maxThreads} 2>/dev/null || ulimit -u ${maxThreads} 2>/dev/null; `
  const limits = `ulimit -c 0; ulimit -d ${(limitMb + beyondHeapMb) * 1024}; ${threads}exec "$@"`
  const [file = '', ...programArgs] =
    process.platform === 'win32' ? command : ['/bin/sh', '-c', limits, 'sh', ...command]
  const child = spawn(file, programArgs, {
    stdio,
    env: program.env,
    windowsHide: true,
    // Setting the user also drops the supplementary groups of the portal.
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
    // A task has a session of its own. If Linux schedules by session (autogroup), the niceness applies only within it, so it is also set
    // for the session.
    () => writeFileSync(`/proc/${pid}/autogroup`, String(niceness)),
    () => writeFileSync(`/proc/${pid}/oom_score_adj`, String(outOfMemoryScore)),
  ]
  for (const attempt of attempts) {
    try {
      attempt()
    } catch {
      // The process has ended, or the system does not allow it.
    }
  }
}
