/** Runs servers as separate processes, so that the bench itself does not affect the measurement. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { findFreePort } from '#tests/support/server/free-port.ts'

const root = resolve(import.meta.dirname, '..')

export interface ServerProcess {
  url: string
  stop: () => Promise<void>
}

/** Starts a program of this project and waits until `readyCheck` returns 200. */
export async function startServer(
  program: string,
  env: Record<string, string>,
  readyCheck: { path: string; headers?: Record<string, string> },
): Promise<ServerProcess> {
  const port = Number(env.PORT ?? (await findFreePort()))
  const url = `http://localhost:${port}`
  const startedAt = performance.now()
  const child = spawn(process.execPath, [join(root, program)], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOSTING: 'off',
      LOG_LEVEL: 'warn',
      FREE_SPACE_MARK_PERCENT: '0',
      ...env,
      PORT: String(port),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${program} ended during its start:\n${output}`)
    const response = await fetch(url + readyCheck.path, { headers: readyCheck.headers ?? {} }).catch(() => null)
    await response?.arrayBuffer()
    if (response?.ok) break
    if (performance.now() - startedAt > 60_000) throw new Error(`${program} was not ready within a minute:\n${output}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return {
    url,
    async stop() {
      if (child.exitCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}
