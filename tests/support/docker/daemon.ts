/** Runs a Docker daemon with folders of its own, beside any other daemon of this machine, and removes all of its remains. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { findProgram } from '#tests/support/docker/docker-programs.ts'
import { addDescendants, listProcesses, sendSignal } from '#tests/support/runner/processes.ts'

export interface DockerDaemon {
  /** Path of the socket of the API. */
  socket: string
  /** Stops the daemon like a restart of its machine, and starts it again with the same data. */
  restart(): Promise<void>
  /** Stops the daemon, ends all of its processes, and deletes its folders. */
  close(): Promise<void>
}

interface DaemonOptions {
  folder: string
  /** Name of the network namespace (`ip netns`) in which it runs. Null means that of this process. */
  namespace?: string | null
}

const startMs = 60_000
const endMs = 60_000

/** Throws if the daemon does not start; it needs root. */
export async function startDaemon({ folder, namespace = null }: DaemonOptions): Promise<DockerDaemon> {
  mkdirSync(folder, { recursive: true })
  const socket = join(folder, 'docker.sock')
  const folders = ['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec')]
  const limits = ['--default-ulimit', 'nofile=1024:4096']
  const args = [...folders, '--pidfile', join(folder, 'pid'), ...limits, '-H', `unix://${socket}`]
  // `ip netns exec` would hide the control groups, because it mounts /sys again.
  const command = namespace === null ? ['dockerd'] : ['nsenter', `--net=/run/netns/${namespace}`, 'dockerd']
  let daemon: ChildProcess | null = null

  async function start(): Promise<void> {
    const log = openSync(join(folder, 'log'), 'a')
    const [program = '', ...programArgs] = [...command, ...args]
    const child = spawn(program, programArgs, { stdio: ['ignore', log, log] })
    daemon = child
    for (const deadline = Date.now() + startMs; Date.now() < deadline; await wait(100)) {
      if (child.exitCode !== null) throw new Error(`dockerd ended at its start: ${readLogEnd(folder)}`)
      if (spawnSync(findProgram('docker'), ['-H', `unix://${socket}`, 'info']).status === 0) return
    }
    throw new Error(`dockerd did not answer: ${readLogEnd(folder)}`)
  }

  async function stop(): Promise<void> {
    if (daemon === null || daemon.exitCode !== null || daemon.signalCode !== null) return
    const exit = once(daemon, 'exit')
    daemon.kill('SIGTERM')
    await Promise.race([exit, wait(endMs, undefined, { ref: false })])
    daemon.kill('SIGKILL')
    await exit
  }

  async function close(): Promise<void> {
    await stop()
    removeDaemonFolder(folder)
  }

  try {
    await start()
  } catch (error) {
    await close()
    throw error
  }
  return {
    socket,
    close,
    async restart() {
      await stop()
      await start()
    },
  }
}

const readLogEnd = (folder: string) => readFileSync(join(folder, 'log'), 'utf8').split('\n').slice(-4).join('\n')

/** Ends all processes of daemons in the folder, also those of a killed run, and deletes it. */
export function removeDaemonFolder(folder: string): void {
  endProcesses(folder)
  unmountAll(folder)
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}

/** Kills what is left: daemons, containerd and its shims (their arguments contain the folder), and their containers. */
function endProcesses(folder: string): void {
  const processes = listProcesses()
  const daemons = processes.filter(
    ({ command }) => /dockerd|containerd|docker-proxy/.test(command) && command.includes(`${folder}/`),
  )
  const pids = daemons.map(({ pid }) => pid)
  sendSignal(addDescendants(pids, processes), 'SIGKILL')
}

/** A mounted folder cannot be deleted. The daemon leaves at least the network namespace of its host mounted. */
function unmountAll(folder: string): void {
  const paths = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((path) => path.startsWith(`${folder}/`))
  for (const path of paths.toReversed()) spawnSync('umount', ['--lazy', path])
}
