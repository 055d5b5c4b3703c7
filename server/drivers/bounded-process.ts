/**
 * Runs code that reads untrusted data in a separate process, so that a crash, a hang or memory exhaustion ends only this work. The
 * operating system enforces the limits, also for native memory. Windows enforces none of them, and macOS no memory limit; there only the
 * timeout and the reader's own checks protect.
 */
import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { getCompileCacheEnv } from '#server/drivers/compile-cache.ts'

export interface ProcessLimits {
  /** Limit of the data segment in kB (`ulimit -d`). Node reserves some 570 MB at its start and hardly uses them. */
  dataKb: number
  cpuSeconds: number
  wallMs: number
  maxOutputBytes: number
  heapMb: number
}

/** Environment of the process: one worker thread and the compile cache. The server's other variables may contain secrets. */
const buildEnvironment = () => ({ UV_THREADPOOL_SIZE: '1', ...getCompileCacheEnv() })

/**
 * Runs a script of the portal with `input` (bytes or a file descriptor) as standard input. Returns its standard output, or null if the
 * script exceeded a limit, failed or wrote nothing. Rejects if no process can be started.
 */
export function runBounded(
  script: URL,
  args: readonly string[],
  input: Uint8Array | number,
  { dataKb, cpuSeconds, wallMs, maxOutputBytes, heapMb }: ProcessLimits,
): Promise<Buffer | null> {
  const limits = `ulimit -c 0; ulimit -d ${dataKb}; ulimit -t ${cpuSeconds}; exec "$@"`
  const flags = [`--max-old-space-size=${heapMb}`, '--v8-pool-size=0']
  const command = [process.execPath, ...flags, fileURLToPath(script), ...args]
  const [program, ...programArgs] = process.platform === 'win32' ? command : ['/bin/sh', '-c', limits, 'sh', ...command]
  const isFile = typeof input === 'number'
  const child = spawn(program ?? '', programArgs, {
    env: buildEnvironment(),
    stdio: [isFile ? input : 'pipe', 'pipe', 'ignore'],
    windowsHide: true,
  })
  const chunks: Buffer[] = []
  let size = 0
  child.stdout?.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > maxOutputBytes) child.kill('SIGKILL')
    else chunks.push(chunk)
  })
  // A process that ends early does not read all input, which raises a stream error. The result depends only on the exit code.
  for (const stream of [child.stdin, child.stdout]) stream?.on('error', () => undefined)
  if (!isFile) child.stdin?.end(input)
  const timer = setTimeout(() => child.kill('SIGKILL'), wallMs)
  return new Promise<Buffer | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('spawn', () => lowerPriority(child.pid))
    child.on('close', (code) => resolve(code === 0 && size > 0 ? Buffer.concat(chunks) : null))
  }).finally(() => clearTimeout(timer))
}

/** Lowers the priority of the process, because responses to users are more important. */
function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // The process has ended, or the system does not allow it.
  }
}
