import { expect, it } from 'vitest'
import { listScheduledJobs } from '#server/composition/start-jobs.ts'
import type { Config } from '#server/config/config.ts'
import { schedule } from '#server/jobs/schedule.ts'

/** Returns the names of the jobs that run, by where they run. */
function listNames(hosting: Config['hosting'], jobs: 'local' | 'elsewhere') {
  const neededJobs = listScheduledJobs(schedule, { hosting, jobs }).filter(
    ({ isNeeded }) => isNeeded?.({ hosting } as Config) ?? true,
  )
  return (runs: string) => neededJobs.filter((job) => job.runs === runs).map(({ name }) => name)
}

const hostingNames = schedule.filter(({ runs }) => runs === 'hosting').map(({ name }) => name)
const clusterNames = schedule.filter(({ runs }) => runs === 'cluster').map(({ name }) => name)

it('one machine with the services does all work on them, also if other jobs run elsewhere', () => {
  expect(hostingNames).toEqual(expect.arrayContaining(['check-services', 'tend-services', 'hosting-upkeep']))
  expect(listNames('local', 'local')('hosting')).toEqual(hostingNames)
  expect(listNames('local', 'elsewhere')('hosting')).toEqual(hostingNames)
  expect(listNames('local', 'elsewhere')('cluster')).toEqual([])
})

it('with docker one node of those that run jobs does the work on services', () => {
  expect(listNames('docker', 'local')('cluster').toSorted()).toEqual([...clusterNames, ...hostingNames].toSorted())
  expect(listNames('docker', 'local')('hosting')).toEqual([])
  const namesElsewhere = listNames('docker', 'elsewhere')
  expect([namesElsewhere('hosting'), namesElsewhere('cluster')]).toEqual([[], []])
  expect(namesElsewhere('node')).toEqual(listNames('local', 'elsewhere')('node'))
})

it.each(['elsewhere', 'off'] as const)('a node with HOSTING=%s does no work on services', (hosting) => {
  expect(listNames(hosting, 'local')('hosting')).toEqual([])
  expect(listNames(hosting, 'local')('cluster')).toEqual(clusterNames)
})
