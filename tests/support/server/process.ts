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

export interface Running {
  child: ChildProcess
  /** Where it listens, once it says so. Rejects when it ends before. */
  ready: Promise<string>
  /** Standard output and error as they came. */
  said: () => string
  /** Exit code, or null after a signal. */
  ended: Promise<number | null>
  kill(signal: NodeJS.Signals): Promise<number | null>
}

/** Passwords of tests protect nobody. */
export const quickHashes = { ARGON2_MEMORY_KB: '4096', ARGON2_TIME: '1' }

/** What one process compiled is kept for the next. */
const { NODE_COMPILE_CACHE = join(root, 'node_modules/.cache/compiled') } = process.env
export const keptCode = { NODE_COMPILE_CACHE }

/** Quick hashes, a free port, nothing of the caller's own environment that would name a database. */
// Its hosted services would go on after it.
const usual = {
  HOSTING: 'off',
  // Of one machine, two portals at a time need ranges of their own.
  SERVICE_USERS: 'off',
  PORT: '0',
  LOG_LEVEL: 'warn',
  // All of a campaign are one address, and many of them one company.
  REQUEST_FACTOR: '100',
  ...quickHashes,
  ...keptCode,
}

export const startProcess = (env: Record<string, string>, script = 'main.ts'): Running => {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [...quickStart, join(root, script)], {
    cwd: root,
    env: { PATH, HOME, ...usual, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  const ready = new Promise<string>((opened, failed) => {
    const hear = (part: Buffer) => {
      said += part.toString()
      const [, url] = /The portal is open: (\S+)\//.exec(said) ?? []
      if (url) opened(url.replace('localhost', '127.0.0.1'))
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.on('exit', (code) => failed(new Error(`the server ended with ${code}: ${said}`)))
  })
  // Whoever only wants to see it end does not ask for this.
  ready.catch(() => undefined)
  // 'close' and not 'exit': what was said last is read by then.
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return {
    child,
    ready,
    said: () => said,
    ended,
    async kill(signal) {
      child.kill(signal)
      return ended
    },
  }
}
