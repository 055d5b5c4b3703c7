/** The real server as a process of its own: for what happens at its start, at its end, and when it is killed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..', '..')

/**
 * For a process that lives for seconds: V8 makes one function of the embedded database fast for 2.5 s of a core and 600 MB, which
 * pays after minutes.
 */
export const quickStart = ['--liftoff-only']

export interface RunningProcess {
  child: ChildProcess
  /** Where it listens, once it says so. Rejects when it ends before. */
  ready: Promise<string>
  /** Standard output and error as they came. */
  output: () => string
  /** Exit code, or null after a signal. */
  exitCode: Promise<number | null>
  kill(signal: NodeJS.Signals): Promise<number | null>
}

/** Passwords of tests protect nobody. */
export const quickHashes = { ARGON2_MEMORY_KB: '4096', ARGON2_TIME: '1' }

/** What one process compiled is kept for the next. */
const { NODE_COMPILE_CACHE = join(root, 'node_modules/.cache/compiled') } = process.env
export const compileCacheEnv = { NODE_COMPILE_CACHE }

/** Quick hashes, a free port, nothing of the caller's own environment that would name a database. */
// Its hosted services would go on after it.
const defaultEnv = {
  HOSTING: 'off',
  // Of one machine, two portals at a time need ranges of their own.
  SERVICE_USERS: 'off',
  PORT: '0',
  LOG_LEVEL: 'warn',
  // All of a campaign are one address, and many of them one company.
  REQUEST_FACTOR: '100',
  ...quickHashes,
  ...compileCacheEnv,
}

export const startProcess = (env: Record<string, string>, script = 'main.ts'): RunningProcess => {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [...quickStart, join(root, script)], {
    cwd: root,
    env: { PATH, HOME, ...defaultEnv, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const ready = new Promise<string>((resolve, reject) => {
    const collectOutput = (chunk: Buffer) => {
      output += chunk.toString()
      const [, url] = /The portal is open: (\S+)\//.exec(output) ?? []
      if (url) resolve(url.replace('localhost', '127.0.0.1'))
    }
    child.stdout.on('data', collectOutput)
    child.stderr.on('data', collectOutput)
    child.on('exit', (code) => reject(new Error(`the server ended with ${code}: ${output}`)))
  })
  // Whoever only wants to see it end does not ask for this.
  ready.catch(() => undefined)
  // 'close' and not 'exit': what was said last is read by then.
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
