/**
 * Which process it is: its number and the time of its start, because a number is given out again. A process that has ended and
 * that nobody has asked after (a zombie) is none. Without /proc the number alone decides.
 */
import { readFileSync, readlinkSync } from 'node:fs'

export interface ProcessIdentity {
  pid: number
  /** In ticks since boot, and the boot and process namespace in which that means anything; empty: not known here. */
  started: string
}

/** Null: there is no such process. */
export function readIdentity(pid: number): ProcessIdentity | null {
  try {
    // After the name, which may hold blanks and brackets.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? null : { pid, started: `${fields[19] ?? ''} ${getHostId()}` }
  } catch {
    return !hasProc && exists(pid) ? { pid, started: '' } : null
  }
}

/** Whether its number means anything here: not after a boot, nor in another container or on another machine. */
export const isOfThisHost = ({ started }: ProcessIdentity): boolean => !hasProc || started.endsWith(` ${getHostId()}`)

export function isRunning({ pid, started }: ProcessIdentity): boolean {
  return readIdentity(pid)?.started === started
}

/** Does nothing to another process that has its number by now. */
export function signal(identity: ProcessIdentity, name: NodeJS.Signals): void {
  if (!isRunning(identity)) return
  try {
    process.kill(identity.pid, name)
  } catch {
    // It ended in between.
  }
}

/** Memory in use, MB; null: not known. */
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
