/** Runs Docker and Compose, and starts a Docker daemon of its own if none is given. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { waitFor } from '#tests/campaigns/compose/journey/screen.ts'

const outputLimit = 256 * 2 ** 20

/** Prefers Debian's programs: another `docker` on the path may lack Compose or speak a newer protocol. */
const findProgram = (name: string) => (existsSync(`/usr/bin/${name}`) ? `/usr/bin/${name}` : name)

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
  installPrograms()
  const ownDaemon = process.env.DOCKER_HOST ? null : await startDaemon(folder)
  const env = { ...process.env, DOCKER_HOST: process.env.DOCKER_HOST ?? ownDaemon?.address, DOCKER_BUILDKIT: '0' }
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

function installPrograms(): void {
  const missing = Object.entries({
    docker: 'docker.io',
    'docker-compose': 'docker-compose',
    debootstrap: 'debootstrap',
  })
    .filter(([program]) => !isInstalled(program))
    .map(([, name]) => name)
  if (missing.length === 0) return
  console.log(`installing ${missing.join(', ')}`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const args of [['update'], ['install', '--yes', '--no-install-recommends', ...missing]])
    if (spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env }).status !== 0)
      throw new Error(`install ${missing.join(', ')} and try again`)
}

const isInstalled = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0

async function startDaemon(folder: string): Promise<{ address: string; close(): Promise<void> }> {
  const path = join(folder, 'docker')
  mkdirSync(path, { recursive: true })
  const address = `unix://${join(path, 'docker.sock')}`
  const folders = ['--data-root', join(path, 'data'), '--exec-root', join(path, 'exec'), '--pidfile', join(path, 'pid')]
  const limits = ['--default-ulimit', 'nofile=1024:4096']
  const daemon = spawn('dockerd', [...folders, ...limits, '-H', address], { stdio: 'ignore' })
  const exit = once(daemon, 'exit')
  const close = async () => {
    daemon.kill('SIGTERM')
    await exit
    // The daemon leaves the network namespace of its host mounted, and a mounted file cannot be deleted.
    spawnSync('umount', [join(path, 'exec', 'netns', 'default')])
  }
  try {
    await waitFor('the Docker daemon answers', () => {
      if (daemon.exitCode !== null) throw new Error('dockerd ended at its start: it needs root')
      return spawnSync(findProgram('docker'), ['-H', address, 'info']).status === 0
    })
  } catch (error) {
    await close()
    throw error
  }
  return { address, close }
}
