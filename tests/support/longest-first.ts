/** The order of the files of a project: the longest first, so that none is left alone at the end with one of two cores idle. */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Where no run was measured before, vitest goes by a file's size: these take longer than theirs says, the longest first. */
const long = [
  'write/kill',
  'services/paying-killed',
  'server/main',
  'services/hostile-pictures',
  'db/embedded',
  'db/damage',
  'server/postgres-setup',
  'e2e/sweep-inside',
  'e2e/orders-detail',
  'e2e/sweep-outside',
  'e2e/offline-users',
  'e2e/faults',
  'e2e/orders-wizard',
  'e2e/journeys',
]

const rankOf = ({ moduleId }: TestSpecification) => {
  const at = long.findIndex((name) => moduleId.includes(`${name}.`))
  return at < 0 ? long.length : at
}

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project.name)
    return [...byProject.values()].flatMap((of) => of.toSorted((a, b) => rankOf(a) - rankOf(b)))
  }
}
