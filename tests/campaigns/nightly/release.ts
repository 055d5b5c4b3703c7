/**
 * Fails unless the latest nightly run on record is green and of the last commit that changed the product or its tests.
 *
 * npm run campaign -- release
 */
import { isGreen, readLatest, readProductCommit } from '#tests/campaigns/nightly/record.ts'

export async function checkRelease(): Promise<void> {
  const [commit, record] = [readProductCommit(), readLatest()]
  const problem = findProblem(commit, record)
  console.log(problem ?? `The nightly run of ${record?.date} is green and of ${commit.slice(0, 8)}.`)
  if (problem !== null) process.exitCode = 1
}

export function findProblem(commit: string, record: ReturnType<typeof readLatest>): string | null {
  const advice = 'Run `npm run campaign -- nightly`.'
  if (record === null) return `No nightly run is on record. ${advice}`
  if (record.commit !== commit)
    return `The latest nightly run is of ${record.commit.slice(0, 8)}, but ${commit.slice(0, 8)} changed the product. ${advice}`
  if (isGreen(record)) return null
  const failedIds = record.steps.filter(({ hasPassed }) => !hasPassed).map(({ id }) => id)
  return `The latest nightly run is not green: ${[...failedIds, ...record.missingFiles].join(', ')}. ${advice}`
}
