/** Servers as processes of their own, so that what is measured is a server and not this program beside it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { freePort } from '#tests/support/free-port.ts'

const root = resolve(import.meta.dirname, '..')

export interface Server {
  url: string
  /** From the start of the process to its first good answer. */
  bootMs: number
  /** Resident memory in MB; null where /proc is not there to be asked. */
  residentMb: () => number | null
  /** Processor time that the process has taken, in ms; null likewise. */
  cpuMs: () => number | null
  stop: () => Promise<void>
}

/** Starts a program of this project and waits until `first` answers 200. */
export async function startServer(
  program: string,
  env: Record<string, string>,
  first: { path: string; headers?: Record<string, string> },
): Promise<Server> {
  const port = Number(env.PORT ?? (await freePort()))
  const url = `http://localhost:${port}`
  const began = performance.now()
  const child = spawn(process.execPath, [join(root, program)], {
    cwd: root,
    env: { PATH: process.env.PATH, LOG_LEVEL: 'warn', FREE_SPACE_MARK_PERCENT: '0', ...env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += piece))
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${program} ended at its start:\n${said}`)
    const answer = await fetch(url + first.path, { headers: first.headers ?? {} }).catch(() => null)
    await answer?.arrayBuffer()
    if (answer?.ok) break
    if (performance.now() - began > 60_000) throw new Error(`${program} was not ready within a minute:\n${said}`)
    await new Promise((wake) => setTimeout(wake, 5))
  }
  const bootMs = performance.now() - began
  return {
    url,
    bootMs,
    residentMb: () => residentMb(child.pid ?? 0),
    cpuMs: () => cpuMs(child.pid ?? 0),
    async stop() {
      if (child.exitCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

function residentMb(pid: number): number | null {
  try {
    const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
    return Number(kilobytes) / 1024
  } catch {
    return null
  }
}

const tickMs = 10

export function cpuMs(pid: number): number | null {
  try {
    // After the name, which may hold blanks and brackets.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')
    return (Number(fields[11]) + Number(fields[12])) * tickMs
  } catch {
    return null
  }
}

/** Processor time of a database's own processes in a PostgreSQL of this machine, in ms. */
export function databaseCpuMs(name: string): number {
  const processes = existsSync('/proc') ? readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)) : []
  return processes.reduce((ms, pid) => ms + (titleOf(pid).includes(` ${name} `) ? (cpuMs(Number(pid)) ?? 0) : 0), 0)
}

/** A PostgreSQL backend calls itself `postgres: user database host(port) state`. */
function titleOf(pid: string): string {
  try {
    const title = readFileSync(`/proc/${pid}/cmdline`, 'latin1')
    return title.startsWith('postgres: ') ? title : ''
  } catch {
    return ''
  }
}
