/**
 * Identifies processes by number and start time, because numbers are reused. A zombie is treated as ended. Without /proc only numbers are
 * compared.
 */
import { readFileSync, readlinkSync } from 'node:fs'

export interface ProcessIdentity {
  pid: number
  /** Start time in ticks since boot, with the ids of the boot and of the process namespace. Empty on systems without /proc. */
  started: string
}

/** Returns null if there is no such process. */
export function readIdentity(pid: number): ProcessIdentity | null {
  try {
    // These are the fields after the process name, which may contain spaces and brackets.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? null : { pid, started: `${fields[19] ?? ''} ${getHostId()}` }
  } catch {
    return !hasProc && exists(pid) ? { pid, started: '' } : null
  }
}

/** Returns false if the process was recorded before a reboot, in another container or on another machine. */
export const isOfThisHost = ({ started }: ProcessIdentity): boolean => !hasProc || started.endsWith(` ${getHostId()}`)

export function isRunning({ pid, started }: ProcessIdentity): boolean {
  return readIdentity(pid)?.started === started
}

/** Sends a signal. Does nothing if the process has ended, even if another process has its number now. */
export function signal(identity: ProcessIdentity, name: NodeJS.Signals): void {
  if (!isRunning(identity)) return
  try {
    process.kill(identity.pid, name)
  } catch {
    // The process has ended since the check.
  }
}

/** Returns the resident memory in MB, or null if it is unknown. */
export function readMemoryMb(pid: number): number | null {
  try {
    const [, kb] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
    return kb === undefined ? null : Math.round(Number(kb) / 1024)
  } catch {
    return null
  }
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const hostId = (() => {
  try {
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
    return `${bootId} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return null
  }
})()
const hasProc = hostId !== null
const getHostId = () => hostId ?? ''
