/**
 * Code that reads what strangers send runs outside the server's own process: native code that aborts, hangs or asks for all memory
 * ends one upload and nothing else. The limits are the operating system's, which hold for native memory too; Windows has none of
 * them, and macOS none for memory, so that there only the time and the reader's own checks protect.
 */
import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { getCompileCacheEnv } from '#server/drivers/compile-cache.ts'

export interface ProcessLimits {
  /** Node itself counts some 570 MB as data before it begins, nearly all of it never touched. */
  dataKb: number
  cpuSeconds: number
  wallMs: number
  /** On standard output. */
  maxOutputBytes: number
  /** Of JavaScript's own heap. */
  heapMb: number
}

/** One worker thread, and what it compiled the last time. Nothing else: the server's environment holds its secrets. */
const buildEnvironment = () => ({ UV_THREADPOOL_SIZE: '1', ...getCompileCacheEnv() })

/**
 * Runs a script of ours with that on its standard input: bytes, or a file by its number. Resolves to its standard output; null
 * where it met a limit, ended otherwise than with exit code 0, or said nothing. Rejects where no process can be started.
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
  // A process that ends early does not read to the end; what it said is judged by its exit code.
  for (const stream of [child.stdin, child.stdout]) stream?.on('error', () => undefined)
  if (!isFile) child.stdin?.end(input)
  const timer = setTimeout(() => child.kill('SIGKILL'), wallMs)
  return new Promise<Buffer | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('spawn', () => lowerPriority(child.pid))
    child.on('close', (code) => resolve(code === 0 && size > 0 ? Buffer.concat(chunks) : null))
  }).finally(() => clearTimeout(timer))
}

/** Answers come first. */
function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It has ended, or the system does not let us.
  }
}
