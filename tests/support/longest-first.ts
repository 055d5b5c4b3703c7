/** The order of the files of a project: the longest first, so that none is left alone at the end with one of two cores idle. */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Where no run was measured before, vitest goes by a file's size: these take longer than theirs says, the longest first. */
const long = [
  'write/kill',
  'services/paying-killed',
  'server/main',
  'e2e/sweep-inside',
  'e2e/sweep-outside',
  'db/embedded',
  'db/damage',
  'services/hostile-pictures',
  'server/postgres-setup',
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
