/** Finds Docker's programs, and installs them on Debian as root if they are missing. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Prefers Debian's programs: another `docker` on the path may lack Compose or speak a newer protocol. */
export const findProgram = (name: string): string => (existsSync(`/usr/bin/${name}`) ? `/usr/bin/${name}` : name)

/** Debian's packages by the program that each brings. */
const packagesByProgram = {
  docker: 'docker.io',
  'docker-compose': 'docker-compose',
  debootstrap: 'debootstrap',
  ip: 'iproute2',
} as const

const isInstalled = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0

export function installPrograms(...programs: (keyof typeof packagesByProgram)[]): void {
  const missing = programs.filter((program) => !isInstalled(program)).map((program) => packagesByProgram[program])
  if (missing.length === 0) return
  console.log(`installing ${missing.join(', ')}`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const args of [['update'], ['install', '--yes', '--no-install-recommends', ...missing]])
    if (spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env }).status !== 0)
      throw new Error(`install ${missing.join(', ')} and try again`)
}
