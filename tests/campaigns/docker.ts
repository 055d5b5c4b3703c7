/**
 * Tests hosted services on Docker Swarm. Starts Docker daemons of its own in network namespaces of their own, beside any other daemon of this
 * machine, and removes all that they created. Needs Linux and root; `dockerd` and `ip` are installed on Debian if they are missing.
 * DOCKER_HOST names another daemon; then the tests that stop daemons are left out.
 *
 * npm run campaign -- docker [part] [arguments]
 *
 * - `suite [vitest arguments]`: the common tests of all hosting drivers, with volumes and with databases, and other tests of the driver
 * - `kills [rounds] [seed]`: kills of the portal in operations, see `services`
 * - `faults [case]...`: faults of images, of the Docker API, of daemons and nodes
 * - `load [services]`: 50 services with two containers each
 * - `journey`: a service from its order to its end, and its backups, in Chromium
 *
 * Without a part all of them run, one after the other.
 */
import { runFaults } from '#tests/campaigns/docker/faults.ts'
import { runJourney } from '#tests/campaigns/docker/journey.ts'
import { runLoad } from '#tests/campaigns/docker/load.ts'
import { runSuite } from '#tests/campaigns/docker/suite.ts'
import { run as runServices } from '#tests/campaigns/services.ts'

const report = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`)

function reportFailures(failures: readonly string[]): void {
  for (const failure of failures) report(`FAULT ${failure}`)
  report(`${failures.length} faults`)
  if (failures.length > 0) process.exitCode = 1
}

const parts: Record<string, (args: string[]) => Promise<void>> = {
  suite: runSuite,
  async kills([rounds = '100', seed = String(Date.now() % 1_000_000)]) {
    await runServices([rounds, seed, 'docker'])
  },
  faults: async (names) => reportFailures(await runFaults(names, report)),
  load: async ([count = '50']) => reportFailures(await runLoad(Number(count), report)),
  journey: runJourney,
}

export async function run([name, ...args]: string[]): Promise<void> {
  if (name !== undefined && !(name in parts))
    throw new Error(`docker has no part "${name}": ${Object.keys(parts).join(', ')}`)
  const names = name === undefined ? Object.keys(parts) : [name]
  let hasFailed = false
  for (const partName of names) {
    report(`docker ${partName}`)
    await parts[partName]?.(args)
    hasFailed ||= process.exitCode === 1
  }
  process.exitCode = hasFailed ? 1 : 0
}
