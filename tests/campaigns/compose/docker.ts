/** Runs Docker and Compose, and starts a Docker daemon of its own if none is given. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { startDaemon } from '#tests/support/docker/daemon.ts'
import { findProgram, installPrograms } from '#tests/support/docker/docker-programs.ts'

const outputLimit = 256 * 2 ** 20

export interface Docker {
  /** Runs `docker` and returns its standard output. Throws with all output if it fails. */
  run(...args: string[]): string
  /** Like `run`, with bytes for its standard input. */
  runWithInput(input: ChildProcess, ...args: string[]): Promise<void>
  /** Runs Compose in a folder and returns all output. Throws if it fails. */
  compose(folder: string, ...args: string[]): string
  /** Returns standard output and standard error of a container, in any order. */
  readLogs(container: string): string
  /** Stops the daemon if `openDocker` has started it. */
  close(): Promise<void>
}

/** Uses the daemon of DOCKER_HOST, or starts one with its data in `folder`. Installs Docker on Debian as root if it is missing. */
export async function openDocker(folder: string): Promise<Docker> {
  installPrograms('docker', 'docker-compose', 'debootstrap')
  const ownDaemon = process.env.DOCKER_HOST ? null : await startDaemon({ folder: join(folder, 'docker') })
  const address = process.env.DOCKER_HOST ?? `unix://${ownDaemon?.socket}`
  const env = { ...process.env, DOCKER_HOST: address, DOCKER_BUILDKIT: '0' }
  function runProgram(program: string, args: string[], cwd?: string): { stdout: string; stderr: string } {
    const result = spawnSync(program, args, { cwd, env, encoding: 'utf8', maxBuffer: outputLimit })
    if (result.status === 0) return result
    throw new Error(`${program} ${args.join(' ')} failed:\n${result.stdout}${result.stderr}${result.error ?? ''}`)
  }
  const docker = findProgram('docker')
  return {
    run: (...args) => runProgram(docker, args).stdout.trim(),
    async runWithInput(input, ...args) {
      const child = spawn(docker, args, { env, stdio: [input.stdout ?? 'ignore', 'ignore', 'inherit'] })
      const [code] = await once(child, 'close')
      if (code !== 0) throw new Error(`docker ${args.join(' ')} failed`)
    },
    compose(folder, ...args) {
      const { stdout, stderr } = runProgram('docker-compose', args, folder)
      return stdout + stderr
    },
    readLogs(container) {
      const { stdout, stderr } = runProgram(docker, ['logs', container])
      return stdout + stderr
    },
    close: async () => ownDaemon?.close(),
  }
}
