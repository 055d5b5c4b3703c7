/** Processes of this machine, which has Linux. */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

export interface ProcessEntry {
  pid: number
  parent: number
  command: string
}

export function listProcesses(): ProcessEntry[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')
      const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? []
      return [{ pid: Number(name), parent: Number(parent), command }]
    } catch {
      return []
    }
  })
}

/** Returns the pids and those of all processes that they have started. */
export function addDescendants(pids: Iterable<number>, processes: readonly ProcessEntry[]): Set<number> {
  const allPids = new Set(pids)
  for (let previousSize = 0; previousSize < allPids.size; ) {
    previousSize = allPids.size
    for (const { pid, parent } of processes) if (allPids.has(parent)) allPids.add(pid)
  }
  return allPids
}

export function sendSignal(pids: Iterable<number>, signal: 'SIGTERM' | 'SIGKILL'): void {
  for (const pid of pids)
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended in the meantime.
    }
}

const pollMs = 50

/**
 * Ends this process after SIGINT or SIGTERM together with all that it has started. Browsers and servers have groups of their own, which a
 * signal from the terminal does not reach. They may end by themselves for `graceMs`.
 */
export function endDescendantsOnSignal(graceMs = 5_000): void {
  const end = async (exitCode: number) => {
    const deadline = performance.now() + graceMs
    // A process whose parent has ended is no longer a descendant, so it is remembered.
    const pids = listDescendants()
    sendSignal(pids, 'SIGTERM')
    while (isAnyRunning(pids) && performance.now() < deadline) await wait(pollMs)
    sendSignal([...pids, ...listDescendants()], 'SIGKILL')
    process.exit(exitCode)
  }
  process.once('SIGINT', () => void end(130))
  process.once('SIGTERM', () => void end(143))
}

function listDescendants(): number[] {
  const pids = addDescendants([process.pid], listProcesses())
  return [...pids].filter((pid) => pid !== process.pid)
}

/** A process that has ended and still has an entry has no command. */
const isAnyRunning = (pids: readonly number[]) =>
  listProcesses().some(({ pid, command }) => command !== '' && pids.includes(pid))
