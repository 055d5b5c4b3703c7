/** Starts the real server as a separate process, for tests of its start, its end and kills. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..', '..')

/**
 * Flags for processes that live for seconds: V8 otherwise spends 2.5 s of processor time and 600 MB on optimising one function of the
 * embedded database, which pays off only after minutes.
 */
export const quickStart = ['--liftoff-only']

export interface RunningProcess {
  child: ChildProcess
  /** Resolves with the server's address. Rejects if the server ends before it is ready. */
  ready: Promise<string>
  output: () => string
  /** Exit code, or null after a signal. */
  exitCode: Promise<number | null>
  kill(signal: NodeJS.Signals): Promise<number | null>
}

/** Settings for cheap password hashing. Test passwords protect nothing. */
export const quickHashes = { ARGON2_MEMORY_KB: '4096', ARGON2_TIME: '1' }

/** Folder in which a process caches compiled code for the next one. */
const { NODE_COMPILE_CACHE = join(root, 'node_modules/.cache/compiled') } = process.env
export const compileCacheEnv = { NODE_COMPILE_CACHE }

/** Default settings: cheap hashing, a free port, and no database of the caller's environment. */
// HOSTING is off, because hosted services would keep running after the server.
const defaultEnv = {
  HOSTING: 'off',
  // Two portals on one machine would need different ranges.
  SERVICE_USERS: 'off',
  PORT: '0',
  LOG_LEVEL: 'warn',
  // All requests of a campaign share one address, and many share a company.
  REQUEST_FACTOR: '100',
  ...quickHashes,
  ...compileCacheEnv,
}

/** `args` is a command of main.ts. The address of a worker is empty. */
export const startProcess = (
  env: Record<string, string>,
  script = 'main.ts',
  args: readonly string[] = [],
): RunningProcess => {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [...quickStart, join(root, script), ...args], {
    cwd: root,
    env: { PATH, HOME, ...defaultEnv, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const ready = new Promise<string>((resolve, reject) => {
    const collectOutput = (chunk: Buffer) => {
      output += chunk.toString()
      const [, url] = /The portal is running: (\S+)\//.exec(output) ?? []
      if (url) resolve(url.replace('localhost', '127.0.0.1'))
      if (output.includes('The worker is running.')) resolve('')
    }
    child.stdout.on('data', collectOutput)
    child.stderr.on('data', collectOutput)
    child.on('exit', (code) => reject(new Error(`the server ended with ${code}: ${output}`)))
  })
  // Not every caller awaits this promise.
  ready.catch(() => undefined)
  // Waits for 'close' instead of 'exit', so that the last output has been read.
  const exitCode = once(child, 'close').then(([code]) => code as number | null)
  return {
    child,
    ready,
    output: () => output,
    exitCode,
    async kill(signal) {
      child.kill(signal)
      return exitCode
    },
  }
}
